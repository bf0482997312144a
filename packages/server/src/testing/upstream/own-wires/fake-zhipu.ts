import { jwtVerify } from 'jose';
import { type Behaviour, json, type ModelBehaviour } from '../fake-upstream-scripts.ts';

// Zhipu's third API, as documented: a token signed by the key, failures with a success status and a code.

export const zhipuKey = 'zhipu-id.zhipu-secret';

/** Error of a token; undefined if it is valid. */
async function readFault(word: string): Promise<string | undefined> {
  const [id, secret] = zhipuKey.split('.') as [string, string];
  try {
    // Its times are in ms. The library reads them as seconds, far in the future.
    const { payload, protectedHeader } = await jwtVerify(word, Buffer.from(secret), {
      algorithms: ['HS256'],
    });
    if (protectedHeader.sign_type !== 'SIGN') return 'sign_type';
    if (payload.api_key !== id) return 'api_key';
    const { exp, timestamp } = payload as { exp: number; timestamp: number };
    return exp > Date.now() && Math.abs(timestamp - Date.now()) < 25 * 60 * 60_000 ? undefined : 'exp';
  } catch (error) {
    return String(error);
  }
}

/** A failure in the vendor's format. */
export const zhipuFailure = (code: number, words: string): ModelBehaviour =>
  json({ code, msg: words, success: false });

/** True if user and assistant alternate, from a user's turn to a user's turn. */
const isConversation = (prompt: { role: string; content: string }[]): boolean =>
  prompt.length % 2 === 1 &&
  prompt.every(({ role, content }, index) => role === (index % 2 === 0 ? 'user' : 'assistant') && content);

/** Refuses calls with a bad token or an invalid body; passes all others on to `answer`. */
export const zhipu =
  (answer: Behaviour): Behaviour =>
  async (exchange) => {
    const fault = await readFault(String(exchange.headers.authorization));
    if (fault !== undefined) return zhipuFailure(1000, `身份验证失败: ${fault}`)(exchange);
    const { prompt } = exchange.json();
    const isGood = Array.isArray(prompt) && isConversation(prompt as { role: string; content: string }[]);
    return isGood ? answer(exchange) : zhipuFailure(1214, 'prompt 参数非法。请检查文档。')(exchange);
  };
