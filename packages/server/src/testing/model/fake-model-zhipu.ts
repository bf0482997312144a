import { inPieces, type ModelWire, type Turn } from './fake-model-words.ts';

const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
const task = { request_id: 'r-1', task_id: 't-1', task_status: 'SUCCESS' };

function wordsOf(turn: Turn): string {
  if ('say' in turn) return turn.say;
  throw new Error('this wire has no tools');
}

/** An event, with `meta` in a line that server-sent events do not have. */
const event = (name: string, data: string, meta?: object): string =>
  `event: ${name}\nid: t-1\ndata: ${data}\n${meta === undefined ? '' : `meta: ${JSON.stringify(meta)}\n`}\n`;

/** Zhipu's third API: texts alone, and whole answers are JSON texts within the text. */
export const zhipuWire: ModelWire = {
  read: () => ({ tools: [], results: [] }),
  whole: (turn) => ({
    code: 200,
    msg: '操作成功',
    data: { ...task, choices: [{ role: 'assistant', content: JSON.stringify(wordsOf(turn)) }], usage },
    success: true,
  }),
  stream: (turn) => [
    ...inPieces(wordsOf(turn)).map((piece) => event('add', piece)),
    event('finish', '', { ...task, usage }),
  ],
};
