import type { ChatEvent, Emit } from '../types/index.ts';

/**
 * Turns reasoning into text: `<think>\n…\n</think>\n` before the answer (docs/compatibility.md#steps-of-a-chat-call,
 * thinking_to_content), for clients that show only text. Redacted reasoning is omitted.
 */
export function thinkingToContent(emit: Emit): Emit {
  /** Reasoning blocks whose opening tag was written. */
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
