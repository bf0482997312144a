import { createHash, createHmac } from 'node:crypto';
import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json, sseHeaders } from '../fake-upstream-scripts.ts';
import { event } from '../fake-upstream-wire.ts';

// Tencent Hunyuan, as its documents tell it: every call is signed (TC3-HMAC-SHA256), fields have capitals.

export const hunyuanKey = 'hunyuan-app|hunyuan-id|hunyuan-secret';

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data);

/** The signature that this call must carry. */
function signatureFor({ headers, body }: FakeExchange): string {
  const [, id, secret] = hunyuanKey.split('|') as [string, string, string];
  const timestamp = String(headers['x-tc-timestamp']);
  const day = new Date(Number(timestamp) * 1_000).toISOString().slice(0, 10);
  const canonical = [
    'POST',
    '/',
    '',
    `content-type:${String(headers['content-type'])}`,
    `host:${String(headers.host)}`,
    `x-tc-action:${String(headers['x-tc-action']).toLowerCase()}`,
    '',
    'content-type;host;x-tc-action',
    digest(body),
  ].join('\n');
  const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${day}/hunyuan/tc3_request\n${digest(canonical)}`;
  const ofDay = mac(`TC3${secret}`, day).digest();
  const ofService = mac(ofDay, 'hunyuan').digest();
  const signature = mac(mac(ofService, 'tc3_request').digest(), toSign).digest('hex');
  return `TC3-HMAC-SHA256 Credential=${id}/${day}/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=${signature}`;
}

const refusal = (code: string, message: string) => ({
  Response: { Error: { Code: code, Message: message }, RequestId: 'r-1' },
});
const usage = (output: number) => ({ PromptTokens: 12, CompletionTokens: output, TotalTokens: 12 + output });
const common = { Created: 1_718_698_937, Id: 'c-1', Note: '以上内容为AI生成' };

/** Asks for the first tool. */
async function callTool(exchange: FakeExchange, isStream: boolean): Promise<void> {
  const called = { Name: 'weather', Arguments: '{"city":"Paris"}' };
  const message = {
    Role: 'assistant',
    Content: '',
    ToolCalls: [{ Id: 'call_1', Type: 'function', Index: 0, Function: called }],
  };
  const choice = { Index: 0, FinishReason: 'tool_calls' };
  if (!isStream) {
    const whole = {
      ...common,
      RequestId: 'r-1',
      Choices: [{ ...choice, Message: message }],
      Usage: usage(5),
    };
    return json({ Response: whole })(exchange);
  }
  exchange.head(200, sseHeaders);
  await exchange.end(event({ ...common, Choices: [{ ...choice, Delta: message }], Usage: usage(5) }));
}

/** Answers `ChatCompletions`. */
export const hunyuan: Behaviour = async (exchange) => {
  const isFresh = Math.abs(Number(exchange.headers['x-tc-timestamp']) - Date.now() / 1_000) < 300;
  if (!isFresh) return json(refusal('AuthFailure.SignatureExpire', '签名过期'))(exchange);
  if (exchange.headers.authorization !== signatureFor(exchange)) {
    return json(refusal('AuthFailure.SignatureFailure', 'The provided credentials could not be validated.'))(
      exchange,
    );
  }
  const { Stream: stream, Model: model, Tools: tools, Messages: messages } = exchange.json();
  if (model === 'hunyuan-none') return json(refusal('InvalidParameterValue.Model', '模型不存在'))(exchange);
  const last = (messages as { Role: string }[]).at(-1);
  if (tools !== undefined && last?.Role !== 'tool') return callTool(exchange, stream === true);
  if (stream !== true) {
    const choice = {
      Index: 0,
      FinishReason: 'stop',
      Message: { Role: 'assistant', Content: 'Paris is mild.' },
    };
    return json({ Response: { ...common, RequestId: 'r-1', Choices: [choice], Usage: usage(5) } })(exchange);
  }
  exchange.head(200, sseHeaders);
  const pieces = ['Paris ', 'is mild.', ''];
  for (const [at, text] of pieces.entries()) {
    const isLast = at === pieces.length - 1;
    const choice = {
      Index: 0,
      Delta: { Role: 'assistant', Content: text },
      FinishReason: isLast ? 'stop' : '',
    };
    await exchange.write(event({ ...common, Choices: [choice], Usage: usage(isLast ? 5 : at + 1) }));
  }
  await exchange.end();
};
