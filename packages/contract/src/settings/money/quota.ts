import { maxQuota } from '../../quota.ts';
import { decimal, group, integer, toggle } from '../define.ts';

/** Quota units, entered in dollars. */
const amount = { min: 0, max: maxQuota, widget: 'custom:dollars' } as const;

export const quota = group(
  'groups',
  { zh: '额度设置', en: 'Quota' },
  {
    QuotaForNewUser: integer({
      ...amount,
      default: 0,
      label: { zh: '新用户初始额度', en: 'Balance of new users' },
      help: { zh: '注册时赠送的额度', en: 'Given when someone signs up' },
    }),
    PreConsumedQuota: integer({
      min: 0,
      max: maxQuota,
      default: 500,
      label: { zh: '请求预扣费额度', en: 'Tokens held per request' },
      help: {
        zh: '请求未指明最大输出时至少按此数量的 Token 预扣',
        en: 'Least number of tokens held for a request without an output limit',
      },
    }),
    BatchPriceFactor: decimal({
      min: 0,
      max: 10,
      default: 0.5,
      label: { zh: '批量任务价格倍率', en: 'Price factor of batches' },
      help: {
        zh: '批量任务中每个请求的价格；模型的 batch 服务档优先',
        en: 'On the price of calls in batches; a model’s service tier “batch” comes first',
      },
    }),
    OwnBatchCalls: integer({
      min: 0,
      max: 64,
      default: 0,
      label: { zh: '自办批量任务的并发请求数', en: 'Calls at once for batches without a vendor' },
      help: {
        zh: '渠道没有批量接口时由本站逐个执行，按普通价格计费；0 表示不提供',
        en: 'Made one by one at the price of calls if a channel has no batches; 0 offers none',
      },
    }),
    QuotaForInviter: integer({
      ...amount,
      default: 0,
      label: { zh: '邀请新用户奖励额度', en: 'Reward for inviting' },
      help: { zh: '赠送给邀请人的额度', en: 'Given to the user who invited' },
    }),
    QuotaForInvitee: integer({
      ...amount,
      default: 0,
      label: { zh: '新用户使用邀请码奖励额度', en: 'Reward for being invited' },
      help: { zh: '赠送给被邀请人的额度', en: 'Given to the user who was invited' },
    }),
    QuotaRemindThreshold: integer({
      ...amount,
      default: 1_000,
      label: { zh: '额度提醒阈值', en: 'Low-balance threshold' },
      help: {
        zh: '低于此额度时提醒未自行设置的用户',
        en: 'Users without a limit of their own are warned below it',
      },
    }),
    PaymentRequiredEnabled: toggle({
      default: false,
      label: { zh: '额度不足时返回 402', en: 'Status 402 for want of balance' },
      help: {
        zh: '返回 402 和 insufficient_quota 或 billing_error，代替 403（额度用尽的令牌为 401）',
        en: '402 with insufficient_quota or billing_error in place of 403, or of 401 for a used-up key',
      },
    }),
  },
);
