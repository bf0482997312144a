import type { ChatEvent, Emit } from '../types/index.ts';

/**
 * Turns thoughts into text: `<think>\n…\n</think>\n` in front of the answer
 * (docs/compatibility.md#steps-of-a-chat-call, thinking_to_content), for clients that show only text. Thoughts without
 * words (redacted ones) leave no trace.
 */
export function thinkingToContent(emit: Emit): Emit {
  /** Blocks of thoughts whose opening tag has been written. */
  const opened = new Set<number>();
  return (event: ChatEvent) => {
    if (event.type === 'reasoning-start') return;
    if (event.type === 'reasoning-delta') {
      const { choice, block } = event;
      if (!opened.has(block)) {
        opened.add(block);
        emit({ type: 'text-start', choice, block });
        emit({ type: 'text-delta', choice, block, text: '<think>\n' });
      }
      return emit({ type: 'text-delta', choice, block, text: event.text });
    }
    if (event.type !== 'reasoning-end') return emit(event);
    if (!opened.delete(event.block)) return;
    const { choice, block } = event;
    emit({ type: 'text-delta', choice, block, text: '\n</think>\n' });
    emit({ type: 'text-end', choice, block });
  };
}
