import { texts } from '../../lib/i18n.ts';

/** Kinds of failures, in the order of the call's answer. */
export const failureText = texts({
  limited: { zh: '限速 {count}', en: 'rate limit {count}' },
  key_refused: { zh: '密钥被拒 {count}', en: 'key refused {count}' },
  timed_out: { zh: '超时 {count}', en: 'timeout {count}' },
  unreachable: { zh: '无法连接 {count}', en: 'unreachable {count}' },
  broken_off: { zh: '响应中断 {count}', en: 'broken off {count}' },
  server_error: { zh: '上游错误 {count}', en: 'upstream error {count}' },
});
