import { createHash, createHmac } from 'node:crypto';
import type { FakeExchange } from '../fake-upstream-exchange.ts';
import { type Behaviour, json, type ModelBehaviour } from '../fake-upstream-scripts.ts';

// Tencent Hunyuan, as documented: every call is signed (TC3-HMAC-SHA256), field names are capitalized.

export const hunyuanKey = 'hunyuan-app|hunyuan-id|hunyuan-secret';

const digest = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const mac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data);

/** The expected signature of this call. */
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

/** A failure in the vendor's format. */
export const hunyuanFailure = (code: string, words: string): ModelBehaviour =>
  json({ Response: { Error: { Code: code, Message: words }, RequestId: 'r-1' } });

const isOfUser = (role: string): boolean => role === 'user' || role === 'tool';

/**
 * Error in the order of a conversation: a single instruction is first, user and assistant alternate and start and end
 * with the user's turn, and only tools may answer several times in a row.
 */
function orderFault(messages: readonly { Role: string }[]): string | undefined {
  const turns = messages[0]?.Role === 'system' ? messages.slice(1) : messages;
  const isGood =
    turns[0]?.Role === 'user' &&
    isOfUser(turns.at(-1)!.Role) &&
    turns.every(({ Role: role }, index) => {
      const before = turns[index - 1]?.Role;
      if (role === 'tool') return before === 'tool' || before === 'assistant';
      if (role === 'assistant') return isOfUser(before ?? '');
      return role === 'user' && before !== 'user' && before !== 'tool';
    });
  return isGood
    ? undefined
    : 'messages 中 user（tool） 和 assistant 角色需交替出现 (一问一答)，以 user 提问开始， user（tool）提问结束, tool 可以连续出现多次';
}

interface Message {
  Role: string;
  Content?: string;
  Contents?: unknown[];
  ToolCalls?: unknown[];
}

function faultOf({ Model: model, Messages: given }: Record<string, unknown>): [string, string] | undefined {
  if (model === 'hunyuan-none') return ['InvalidParameterValue.Model', '模型不存在'];
  const messages = given as Message[];
  const fault = orderFault(messages);
  if (fault !== undefined) return ['InvalidParameterValue', fault];
  if (messages.some((message) => 'ReasoningContent' in message))
    return ['InvalidParameterValue', 'messages 中不能包含 reasoning_content'];
  const isEmpty = ({ Content, Contents, ToolCalls }: Message) => !Content && !Contents?.length && !ToolCalls;
  return messages.some(isEmpty) ? ['InvalidParameterValue', 'Content 不能为空'] : undefined;
}

/** Refuses calls with a bad signature or an invalid body; passes all others on to `answer`. */
export const hunyuan =
  (answer: Behaviour): Behaviour =>
  async (exchange) => {
    const { headers } = exchange;
    const isFresh = Math.abs(Number(headers['x-tc-timestamp']) - Date.now() / 1_000) < 300;
    if (!isFresh) return hunyuanFailure('AuthFailure.SignatureExpire', '签名过期')(exchange);
    if (headers.authorization !== signatureFor(exchange)) {
      const words = 'The provided credentials could not be validated.';
      return hunyuanFailure('AuthFailure.SignatureFailure', words)(exchange);
    }
    const isCall = headers['x-tc-action'] === 'ChatCompletions' && headers['x-tc-version'] === '2023-09-01';
    if (!isCall) return hunyuanFailure('InvalidAction', '接口不存在')(exchange);
    const fault = faultOf(exchange.json());
    return fault === undefined ? answer(exchange) : hunyuanFailure(...fault)(exchange);
  };
