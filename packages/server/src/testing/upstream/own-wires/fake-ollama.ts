import type { Behaviour } from '../fake-upstream-scripts.ts';

// Ollama's own chats, as its documents tell it: a line of JSON for each piece, the counts in the last one.

/** Answers `/api/chat`. */
export const ollamaNative: Behaviour = async (exchange) => {
  const { model, messages, tools, think } = exchange.json();
  const last = (messages as { role: string }[]).at(-1);
  const head = { model, created_at: '2026-11-01T00:00:00Z' };
  const call = { function: { name: 'weather', arguments: { city: 'Paris' } } };
  const pieces =
    tools !== undefined && last?.role !== 'tool'
      ? [{ content: '', tool_calls: [call] }]
      : [
          ...(think === undefined ? [] : [{ content: '', thinking: 'Let me see.' }]),
          { content: 'Paris ' },
          { content: 'is mild.' },
        ];
  exchange.head(200, { 'content-type': 'application/x-ndjson' });
  for (const piece of pieces) {
    const line = { ...head, message: { role: 'assistant', ...piece }, done: false };
    await exchange.write(`${JSON.stringify(line)}\n`);
  }
  const counts = { prompt_eval_count: 12, eval_count: 5, total_duration: 1 };
  const end = {
    ...head,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: 'stop',
    ...counts,
  };
  await exchange.end(`${JSON.stringify(end)}\n`);
};
