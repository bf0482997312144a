import { texts } from '../../lib/i18n.ts';

export const formText = texts({
  createTitle: { zh: '创建令牌', en: 'Create a key' },
  editTitle: { zh: '编辑令牌', en: 'Edit the key' },
  create: { zh: '创建', en: 'Create' },
  save: { zh: '保存', en: 'Save' },
  madeKeys: { zh: '由此密钥创建的子密钥', en: 'Keys made by this key' },
  basics: { zh: '基本信息', en: 'Basics' },
  budget: { zh: '额度', en: 'Budget' },
  limits: { zh: '访问限制', en: 'Limits' },
  batch: { zh: '批量创建', en: 'Several at once' },
  name: { zh: '名称', en: 'Name' },
  namePlaceholder: { zh: '例如：生产环境', en: 'For example: production' },
  nameRequired: { zh: '请输入名称', en: 'Please enter a name' },
  nameLong: { zh: '名称不能超过 30 字节', en: 'A name can have at most 30 bytes' },
  expires: { zh: '过期时间', en: 'Expires' },
  never: { zh: '永不过期', en: 'Never' },
  oneHour: { zh: '一小时', en: 'One hour' },
  oneDay: { zh: '一天', en: 'One day' },
  oneMonth: { zh: '一个月', en: 'One month' },
  expiresMalformed: { zh: '过期时间格式错误！', en: 'Expiration time format error!' },
  unlimited: { zh: '无限额度', en: 'Unlimited' },
  unlimitedHint: {
    zh: '实际用量仍受账户余额限制',
    en: 'Spending is still limited by the account balance',
  },
  limitedHint: {
    zh: '额度用完后，此密钥的调用会被拒绝',
    en: 'Once its budget is spent, calls with this key are refused',
  },
  quotaInteger: { zh: '额度必须是数字', en: 'The budget must be a number' },
  group: { zh: '分组', en: 'Group' },
  crossesGroups: { zh: '跨分组重试', en: 'Retry in the next group' },
  crossesGroupsHint: {
    zh: '一个分组的渠道都失败后，改用下一个分组，并按其价格计费',
    en: 'When the channels of a group have failed, the next group serves the call, at its price',
  },
  groupHint: { zh: '决定可用的渠道和价格', en: 'Determines the channels and the price' },
  noGroups: {
    zh: '管理员未设置用户可选分组',
    en: 'The administrator has not set user-selectable groups',
  },
  models: { zh: '模型限制', en: 'Model limits' },
  modelsHint: { zh: '留空则可以使用全部模型', en: 'Leave empty to allow every model' },
  addresses: { zh: 'IP 白名单', en: 'Allowed IP addresses' },
  addressesHint: {
    zh: '每行一个地址或网段，留空则不限制',
    en: 'One address or CIDR range per line; leave empty to allow any',
  },
  count: { zh: '数量', en: 'How many' },
  countHint: {
    zh: '多于一个时，名称会附加 6 位随机后缀',
    en: 'From the second on, names get a random 6-character suffix',
  },
  countInvalid: { zh: '数量必须是正整数', en: 'Must be a positive whole number' },
});

export const useText = texts({
  createdTitle: { zh: '令牌已创建', en: 'Key created' },
  createdMany: {
    zh: '已创建 {count} 个令牌',
    en: { one: '{count} key created', other: '{count} keys created' },
  },
  title: { zh: '使用令牌“{name}”', en: 'Use the key “{name}”' },
  keyLabel: { zh: '密钥', en: 'Key' },
  address: { zh: '接口地址', en: 'Base URL' },
  snippets: { zh: '示例代码', en: 'Code' },
  programs: { zh: '智能体与应用', en: 'Agents & apps' },
  tryIt: { zh: '试一试', en: 'Try it' },
  tryHint: {
    zh: '发出一次真实的、会计费的调用。',
    en: 'Makes a real call, which is billed.',
  },
  copyAll: { zh: '全部复制', en: 'Copy all' },
  close: { zh: '关闭', en: 'Close' },
  hashOnly: {
    zh: '本站只保存密钥的指纹，创建之后无法再次显示。',
    en: 'This site stores only hashes of keys, so a key cannot be shown again later.',
  },
});
