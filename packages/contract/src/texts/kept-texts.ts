import { type ErrorValues, fillWords, type Words } from '../words.ts';

/**
 * Texts of our own in rows. Programs read them in Chinese (docs/compatibility.md#amount-text). The console uses the
 * same table to show them in the reader's language. A text that contains another one comes first.
 */
export const keptTexts = {
  signUpGift: { zh: '新用户注册赠送 {amount}', en: 'Gift for signing up: {amount}' },
  inviteeGift: { zh: '使用邀请码赠送 {amount}', en: 'Gift for being invited: {amount}' },
  inviterGift: { zh: '邀请用户赠送 {amount}', en: 'Gift for inviting somebody: {amount}' },
  rewardMoved: { zh: '邀请额度划转 {amount}', en: 'Invitation reward moved to the balance: {amount}' },
  codeRedeemed: { zh: '通过兑换码充值 {amount}，兑换码ID {id}', en: 'Redeemed {amount} with code #{id}' },
  creditExpired: { zh: '额度 {amount} 已到期', en: 'Credit of {amount} has expired' },
  topUpRefunded: { zh: '充值已退款，收回 {amount}', en: 'Top-up refunded, {amount} taken back' },
  planCredited: { zh: '套餐发放 {amount}', en: 'Credit of a plan: {amount}' },
  toppedUp: {
    zh: '使用在线充值成功，充值金额: {amount}，支付金额：{money}',
    en: 'Topped up online: {amount}, paid {money}',
  },
  quotaChanged: {
    zh: '管理员将用户额度从 {before}修改为 {after}',
    en: 'An administrator changed the quota from {before} to {after}',
  },
  signedIn: { zh: '登录成功，方式：{method}', en: 'Signed in with {method}' },
  teamFunded: {
    zh: '从个人钱包转入组织「{team}」 {amount}',
    en: 'Moved from the own wallet to the organisation “{team}”: {amount}',
  },
  teamWithdrawn: {
    zh: '从组织「{team}」转回个人钱包 {amount}',
    en: 'Moved from the organisation “{team}” to the own wallet: {amount}',
  },
  teamQuotaChanged: {
    zh: '管理员将组织「{team}」的额度从 {before}修改为 {after}',
    en: 'An administrator changed the quota of the organisation “{team}” from {before} to {after}',
  },
  pricePerCall: { zh: '模型价格 {price}，分组倍率 {group}', en: 'model price {price}, group ratio {group}' },
  pricePerToken: {
    zh: '模型倍率 {model}，补全倍率 {completion}，分组倍率 {group}',
    en: 'model ratio {model}, completion ratio {completion}, group ratio {group}',
  },
  nothingUsed: { zh: '{price}（可能是上游超时）', en: '{price} (the upstream may have timed out)' },
  crashed: {
    zh: '网关中断，按已送达内容计费',
    en: 'The gateway was interrupted; billed by what had been delivered',
  },
  sold: { zh: '应用计费：{name}', en: 'Charged by an application: {name}' },
  taskPrice: {
    zh: '模型固定价格 {price}，分组倍率 {group}，操作 {action}，ID {task}',
    en: 'fixed model price {price}, group ratio {group}, action {action}, ID {task}',
  },
  taskRefunded: {
    zh: '异步任务执行失败 {task}，补偿 {amount}',
    en: 'Task {task} failed; {amount} was given back',
  },
  taskPaidLess: {
    zh: '异步任务 {task} 按实际产出结算，退回 {amount}',
    en: 'Task {task} is settled by what was made; {amount} was given back',
  },
  channelKeysOff: { zh: '所有密钥均已禁用', en: 'All keys are off' },
  taskInterrupted: {
    zh: '网关中断，不确定上游是否已受理',
    en: 'The gateway was interrupted; it is not known whether the upstream took the task',
  },
  taskChannelGone: {
    zh: '获取渠道信息失败，请联系管理员，渠道ID：{id}',
    en: 'The channel of this task is gone, please contact the administrator; channel #{id}',
  },
  taskTimedOut: {
    zh: '上游任务超时（超过{hours}小时）',
    en: 'The upstream has not finished the task within {hours} hours',
  },
  channelEmpty: { zh: '余额不足', en: 'The balance is used up' },
  channelSlow: {
    zh: '响应时间 {time} 超过阈值 {limit}',
    en: 'Response time {time} is above the limit of {limit}',
  },
} as const satisfies Record<string, Words>;

/** A stored text in the form of its row. */
export const keptText = (name: keyof typeof keptTexts, values: ErrorValues = {}): string =>
  fillWords(keptTexts[name].zh, values);

/** A stored text in both languages. */
export const keptWords = (name: keyof typeof keptTexts, values: ErrorValues = {}): Words => ({
  zh: fillWords(keptTexts[name].zh, values),
  en: fillWords(keptTexts[name].en, values, 'en'),
});
