import { inPieces, type ModelWire, type Turn } from './fake-model-words.ts';

const usage = { text: { question_tokens: 4, prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 } };

function wordsOf(turn: Turn): string {
  if ('say' in turn) return turn.say;
  throw new Error('this wire has no tools');
}

/** A WebSocket message; the first has status 0, the last 2. */
const message = (status: number, seq: number, content: string): string =>
  JSON.stringify({
    header: { code: 0, message: 'Success', sid: 'cht000cb087@dx18793cd421fb894542', status },
    payload: {
      choices: { status, seq, text: [{ content, role: 'assistant', index: 0 }] },
      ...(status === 2 && { usage }),
    },
  });

/** iFLYTEK's Spark: WebSocket messages. The last one contains the usage. */
export const sparkWire: ModelWire = {
  read: () => ({ tools: [], results: [] }),
  whole: () => {
    throw new Error('Spark answers in several messages alone');
  },
  stream(turn) {
    const pieces = inPieces(wordsOf(turn));
    const last = pieces.length - 1;
    return pieces.map((piece, index) => message(index === last ? 2 : Math.min(index, 1), index, piece));
  },
};
