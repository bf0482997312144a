import * as z from 'zod/mini';
import { compileRedaction } from '../redaction.ts';
import { group, integer, json, lines, secret } from './define.ts';
import { settingError } from './setting-error.ts';
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

const captured = listUpTo(1_000, matching(/^(?:key:[1-9]\d{0,14}|organisation:[1-9]\d{0,14})$/));

export const contentCapture = group(
  'logs',
  { zh: '内容留存', en: 'Content capture' },
  {
    ContentCapture: json({
      schema: captured,
      default: [],
      label: { zh: '留存对象', en: 'Captured calls' },
      help: {
        zh: 'JSON 列表：key:ID 或 organisation:ID；其请求与答复的文本加密留存',
        en: 'JSON list of key:ID and organisation:ID, whose requests and answers are kept encrypted',
      },
    }),
    ContentCaptureDays: integer({
      min: 1,
      max: 365,
      default: 7,
      label: { zh: '留存天数', en: 'Keep content (days)' },
      help: { zh: '更早的内容由任务删除', en: 'A job deletes older content' },
    }),
    ContentRedactions: lines({
      default: [],
      check: (expressions, key) => {
        for (const [index, expression] of expressions.entries()) {
          try {
            compileRedaction(expression);
          } catch (cause) {
            throw settingError('setting_malformed', {
              key,
              detail: `${index + 1}: ${String((cause as Error).message)}`,
            });
          }
        }
      },
      label: { zh: '遮盖规则', en: 'Redactions' },
      help: {
        zh: '每行一个正则表达式，不区分大小写；匹配的文本在留存前被遮盖',
        en: 'One regular expression per line, case-insensitive; its matches are masked before storing',
      },
    }),
  },
);
