import * as z from 'zod/mini';
import { group, integer, json, secret } from './define.ts';
import { listUpTo, matching, nameUpTo, wholeBetween } from './shapes.ts';

export const answerCache = group(
  'advanced',
  { zh: '答复缓存', en: 'Answer cache' },
  {
    AnswerCacheSeconds: integer({
      min: 0,
      max: 86_400,
      default: 0,
      label: { zh: '缓存时间（秒）', en: 'Keep answers (seconds)' },
      help: {
        zh: '同一用户再次发送相同的纯文本请求时直接返回原答复，加密保存；0 表示关闭',
        en: 'The same text request of the same user gets the same answer; encrypted; 0 is off',
      },
    }),
    AnswerCacheShare: integer({
      min: 0,
      max: 100,
      default: 10,
      label: { zh: '缓存答复的收费（%）', en: 'Charge of a stored answer (%)' },
      help: {
        zh: '按原答复用量与当前价格的百分比收费',
        en: 'Percentage of the present price of the usage of the answer',
      },
    }),
  },
);

/** Webhooks that check calls. */
const hooks = listUpTo(
  20,
  z.strictObject({
    name: nameUpTo(64),
    who: matching(/^(?:all|group:.{1,64}|key:[1-9]\d{0,14}|organisation:[1-9]\d{0,14})$/),
    when: z.array(z.enum(['before', 'after'])).check(z.minLength(1), z.maxLength(2)),
    url: matching(/^https?:\/\/[^\s/?#]+\S{0,2000}$/i),
    timeout_ms: wholeBetween(50, 30_000),
    on_failure: z.enum(['open', 'closed']),
    /** Characters of a stream that are checked before they are delivered; 0 delivers it and reports it afterwards. */
    window: wholeBetween(0, 100_000),
  }),
);

export const guardHooks = group(
  'advanced',
  { zh: '检查钩子', en: 'Guard hooks' },
  {
    GuardHooks: json({
      schema: hooks,
      default: [],
      label: { zh: '钩子', en: 'Hooks' },
      help: {
        zh: 'JSON 列表：name、who、when、url、timeout_ms、on_failure、window；见文档“检查钩子”',
        en: 'JSON list of name, who, when, url, timeout_ms, on_failure, window; see “Guard hooks”',
      },
    }),
    GuardHookSecret: secret({
      label: { zh: '签名密钥', en: 'Signing secret' },
      help: { zh: '以 HMAC-SHA256 签名每次询问', en: 'Signs each question with HMAC-SHA256' },
    }),
  },
);
