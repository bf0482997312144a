import { jwtVerify } from 'jose';
import { type Behaviour, json, sseHeaders } from '../fake-upstream-scripts.ts';

// Zhipu's third API, as its documents tell it: a word that the key has signed, and events with a line of their own.

export const zhipuKey = 'zhipu-id.zhipu-secret';
const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

/** Why a word is refused; undefined where it is good. */
async function faultOf(word: string): Promise<string | undefined> {
  const [id, secret] = zhipuKey.split('.') as [string, string];
  try {
    // Its times are in ms, which for the library lie far ahead.
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

/** Answers `invoke` and `sse-invoke`. */
export const zhipu: Behaviour = async (exchange) => {
  const fault = await faultOf(String(exchange.headers.authorization));
  if (fault !== undefined)
    return json({ code: 1000, msg: `身份验证失败: ${fault}`, success: false })(exchange);
  if (exchange.path.endsWith('/sse-invoke')) {
    exchange.head(200, sseHeaders);
    await exchange.write('event: add\nid: t-1\ndata: Paris \n\n');
    await exchange.write('event: add\nid: t-1\ndata: is mild.\n\n');
    await exchange.write(
      `event: finish\nid: t-1\ndata: \nmeta: ${JSON.stringify({ task_status: 'SUCCESS', usage })}\n\n`,
    );
    return exchange.end();
  }
  const data = {
    request_id: 'r-1',
    task_id: 't-1',
    task_status: 'SUCCESS',
    choices: [{ role: 'assistant', content: JSON.stringify('Paris is mild.') }],
    usage,
  };
  return json({ code: 200, msg: '操作成功', data, success: true })(exchange);
};
