import type { Language } from '../../lib/language.ts';

/**
 * Texts that the server keeps in rows or answers to programs in Chinese, word for word as the wire asks for it
 * (wire-facts 6.7, 12), and what they say in English. Longer ones stand before those they contain.
 */
const english: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/新用户注册赠送 (.+)/, 'Gift for signing up: $1'],
  [/使用邀请码赠送 (.+)/, 'Gift for being invited: $1'],
  [/邀请用户赠送 (.+)/, 'Gift for inviting somebody: $1'],
  [/邀请额度划转 (.+)/, 'Invitation reward moved to the balance: $1'],
  [/通过兑换码充值 (.+?)，兑换码ID (\d+)/, 'Redeemed $1 with code #$2'],
  [/使用在线充值成功，充值金额: (.+?)，支付金额：(.+)/, 'Topped up online: $1, paid $2'],
  [/管理员将用户额度从 (.+?)修改为 (.+)/, 'An administrator changed the quota from $1 to $2'],
  [/模型价格 (\S+?)，分组倍率 (\S+)/, 'model price $1, group ratio $2'],
  [/模型倍率 (\S+?)，补全倍率 (\S+?)，分组倍率 (\S+)/, 'model ratio $1, completion ratio $2, group ratio $3'],
  [/（可能是上游超时）/, ' (the upstream may have timed out)'],
  [/网关中断，按已送达内容的估算计费/, 'The gateway was interrupted; billed by what had been delivered'],
  [/当前分组 (.*?) 下对于模型 (.*?) 无可用渠道/, 'No available channel for the model $2 in the group $1'],
  [/当前分组上游负载已饱和，请稍后再试/, 'Every channel of this group is saturated, please try again later'],
  [/上游拒绝了该渠道的凭证，请联系管理员；/, ''],
  [/请求上游地址失败/, 'The upstream could not be reached'],
  [/该渠道已被禁用/, 'The channel is disabled'],
  [/无效的渠道 Id/, 'Invalid channel id'],
  [/^模型测试$/, 'Model test'],
  [/余额不足/, 'The balance is used up'],
  [/响应时间 (\S+) 超过阈值 (\S+)/, 'Response time $1 is above the limit of $2'],
  [/服务器内部错误，请联系管理员！?/, 'Internal server error, please contact the administrator'],
  [/＄(-?[\d.]+) 额度/g, '$$$1'],
  [/(-?\d+) 点额度/g, '$1 units'],
];

/** A text of the server in the reader's language; what is not known stays as it is. */
export const wireWords = (text: string, language: Language): string =>
  language === 'zh'
    ? text
    : english.reduce((words, [pattern, replacement]) => words.replace(pattern, replacement), text);
