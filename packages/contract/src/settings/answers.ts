import { group, integer } from './define.ts';

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
