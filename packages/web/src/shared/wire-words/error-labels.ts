import { texts } from '../../lib/i18n.ts';
import type { Language } from '../../lib/language.ts';

/** Error codes of failed relay calls, and their meanings. */
const words = texts({
  do_request_failed: { zh: '上游不可达', en: 'upstream unreachable' },
  bad_response_body: { zh: '上游回答不完整', en: 'incomplete answer' },
  bad_response_status_code: { zh: '上游报错', en: 'upstream error' },
  upstream_broken: { zh: '上游中断', en: 'upstream disconnected' },
  upstream_rejected_channel: { zh: '渠道密钥被拒', en: 'channel key rejected' },
  no_available_channel: { zh: '无可用渠道', en: 'no available channel' },
  channel_disabled: { zh: '渠道已禁用', en: 'channel disabled' },
  insufficient_user_quota: { zh: '余额不足', en: 'balance used up' },
  pre_consume_token_quota_failed: { zh: '令牌额度不足', en: 'the key’s quota is used up' },
  model_price_error: { zh: '模型未定价', en: 'no price set' },
  model_not_found: { zh: '模型不存在', en: 'model not found' },
  model_not_allowed: { zh: '令牌不可用该模型', en: 'model not allowed' },
  group_not_allowed: { zh: '分组不可用', en: 'group not allowed' },
  rate_limit_exceeded: { zh: '请求过于频繁', en: 'too many requests' },
  sensitive_words_detected: { zh: '包含敏感词', en: 'blocked words' },
  cannot_translate: { zh: '渠道不支持该请求', en: 'not supported by the channels' },
  ledger_unavailable: { zh: '账本不可用', en: 'ledger unavailable' },
  shutting_down: { zh: '服务正在停止', en: 'shutting down' },
  client_gone: { zh: '调用方断开', en: 'caller disconnected' },
  invalid_api_key: { zh: '密钥无效', en: 'invalid key' },
  channel_requests_limit: { zh: '渠道每分钟请求数已满', en: 'channel at its requests a minute' },
  channel_tokens_limit: { zh: '渠道每分钟 Token 已满', en: 'channel at its tokens a minute' },
  channel_calls_limit: { zh: '渠道同时调用数已满', en: 'channel at its calls at once' },
  channel_spend_limit: { zh: '渠道当天花费已满', en: 'channel at its spend a day' },
  key_requests_limit: { zh: '密钥每分钟请求数已满', en: 'key at its requests a minute' },
  key_tokens_limit: { zh: '密钥每分钟 Token 已满', en: 'key at its tokens a minute' },
  key_calls_limit: { zh: '密钥同时调用数已满', en: 'key at its calls at once' },
  key_spend_limit: { zh: '密钥当天花费已满', en: 'key at its spend a day' },
  internal_error: { zh: '内部错误', en: 'internal error' },
});

/** The meaning of an error code in the reader's language; vendors' codes are unchanged. */
export const errorLabel = (code: string, language: Language): string =>
  Object.hasOwn(words, code) ? words[code as keyof typeof words][language] : code;
