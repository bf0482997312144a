import { z } from 'zod';
import type { Language, Words } from './words.ts';
import { meanings } from './meanings.ts';

/** Causes of a connection without an answer. */
export const connectionFailures = [
  'refused',
  'not_found',
  'timeout',
  'tls',
  'lost',
  'unreachable',
  'address_forbidden',
] as const;

/** Causes of a failed channel test. They show an operator where to look. */
export const channelFailureCauses = [...connectionFailures, 'status', 'bad_answer', 'gateway'] as const;
export type ChannelFailureCause = (typeof channelFailureCauses)[number];

/** Results of a channel's last test. */
export const testOutcome = { unknown: 0, passed: 1, failed: 2 } as const;

/** A failed channel test, in its stored and displayed form. */
export const channelFailure = z
  .object({
    cause: z.enum(channelFailureCauses).meta({ zh: '失败的种类', en: 'Kind of the failure' }),
    status: z.number().int().meta(meanings.httpStatus),
    message: z.string().meta({
      zh: '上游或网关的说明；没有时为空',
      en: 'Words of the upstream or the gateway; empty for none',
    }),
    model: z.string().meta({ zh: '所请求的模型', en: 'Model of the request' }),
  })
  .meta({ zh: '测试失败的原因', en: 'Why the test failed' });
export type ChannelFailure = z.output<typeof channelFailure>;

/** `{status}` and `{message}` are replaced. The message appears only where it adds something to the cause. */
const words: Record<ChannelFailureCause, Words> = {
  refused: {
    zh: '请求上游地址失败：连接被拒绝',
    en: 'The upstream could not be reached: connection refused',
  },
  not_found: {
    zh: '请求上游地址失败：找不到该主机名',
    en: 'The upstream could not be reached: its host name is not known',
  },
  timeout: { zh: '上游没有在规定时间内回答', en: 'The upstream did not answer in time' },
  tls: {
    zh: '请求上游地址失败：TLS 证书或握手有误',
    en: 'The upstream could not be reached: its TLS certificate or handshake failed',
  },
  lost: { zh: '上游在回答之前断开了连接', en: 'The upstream closed the connection before it answered' },
  unreachable: { zh: '请求上游地址失败：网络不通', en: 'The upstream could not be reached' },
  address_forbidden: {
    zh: '请求上游地址失败：不允许访问该地址',
    en: 'The upstream could not be reached: its address is not allowed',
  },
  status: { zh: '上游返回 {status}：{message}', en: 'The upstream answered {status}: {message}' },
  bad_answer: {
    zh: '上游的回答无法识别：{message}',
    en: 'The upstream’s answer could not be read: {message}',
  },
  gateway: { zh: '无法发送测试请求：{message}', en: 'The test could not be sent: {message}' },
};

/** One sentence about a failed channel test in the reader's language. An upstream's own text stays unchanged. */
export function sayChannelFailure(
  { cause, status, message }: Pick<ChannelFailure, 'cause' | 'status' | 'message'>,
  language: Language,
): string {
  const sentence = words[cause][language].replace('{status}', () => String(status));
  // Without a message the colon is omitted.
  return message === ''
    ? sentence.replace(/[：:]\s*\{message\}/, '')
    : sentence.replace('{message}', () => message);
}

/** Short names of the causes, for places with little room. An HTTP error shows its status. */
const names: Record<ChannelFailureCause, Words> = {
  refused: { zh: '连接被拒绝', en: 'connection refused' },
  not_found: { zh: '找不到主机名', en: 'host not known' },
  timeout: { zh: '超时', en: 'timed out' },
  tls: { zh: 'TLS 错误', en: 'TLS failed' },
  lost: { zh: '连接断开', en: 'connection closed' },
  unreachable: { zh: '网络不通', en: 'not reached' },
  address_forbidden: { zh: '地址不允许', en: 'address not allowed' },
  status: { zh: '返回 {status}', en: 'answered {status}' },
  bad_answer: { zh: '回答无法识别', en: 'answer not readable' },
  gateway: { zh: '无法测试', en: 'could not be tested' },
};

/** Short cause of a failed channel test, for a tile. */
export const nameChannelFailure = (
  { cause, status }: Pick<ChannelFailure, 'cause' | 'status'>,
  language: Language,
): string => names[cause][language].replace('{status}', () => String(status));
