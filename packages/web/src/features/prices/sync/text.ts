import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  offTitle: { zh: '尚未启用公开价格表', en: 'Public price lists are off' },
  offHint: {
    zh: '启用后，只有在您点击时服务器才会向每个地址发送一次 GET 请求，不包含本站的任何信息。在您批准之前，价格不会改变。',
    en: 'Once on, the server sends one GET request to each address when you ask, with no information about this site. No price changes before you approve it.',
  },
  turnOn: { zh: '启用', en: 'Turn on' },
  turnOff: { zh: '停用', en: 'Turn off' },
  lists: { zh: '公开价格表', en: 'Public lists' },
  addresses: { zh: '价格表地址', en: 'List addresses' },
  addressHint: {
    zh: '地址，或 file: 加数据目录下的文件；留空则不读取',
    en: 'An address, or file: and a path in the data folder; leave empty for none',
  },
  saveAddresses: { zh: '保存地址', en: 'Save the addresses' },
  savedAddresses: { zh: '地址已保存', en: 'Addresses saved' },
  read: { zh: '重新读取', en: 'Read again' },
  checked: { zh: '读取于 {time}', en: 'Read at {time}' },
  ok: { zh: '{count} 个价格', en: { one: '{count} price', other: '{count} prices' } },
  off: { zh: '未设置', en: 'Not set' },
  empty: { zh: '没有价格，未使用', en: 'No prices, not used' },
  doubtful: { zh: '多数模型被标为免费，未使用', en: 'Marks most models as free, not used' },
  failed: { zh: '读取失败', en: 'Could not be read' },
  free: { zh: '{count} 个标为免费（不会提议）', en: '{count} free (never proposed)' },
  rows: { zh: '可以变更的价格', en: 'Prices that could change' },
  same: {
    zh: '{count} 个模型与价格表一致。',
    en: { one: '{count} model matches the lists.', other: '{count} models match the lists.' },
  },
  unlisted: {
    zh: '{count} 个正在提供的未定价模型不在任何价格表中：{models}',
    en: {
      one: '{count} unpriced model on offer is in no list: {models}',
      other: '{count} unpriced models on offer are in no list: {models}',
    },
  },
  nothing: { zh: '没有可以变更的价格', en: 'Nothing to change' },
  nothingHint: {
    zh: '价格与读取到的公开价格表一致。',
    en: 'Prices match the public lists that were read.',
  },
  noList: { zh: '没有可比较的价格表', en: 'No list to compare with' },
  noListHint: {
    zh: '没有一个价格表可用：请检查地址后重新读取。',
    en: 'None of the lists could be used. Check their addresses and read them again.',
  },
  model: { zh: '模型', en: 'Model' },
  vendor: { zh: '供应商', en: 'Vendor' },
  today: { zh: '现在', en: 'Today' },
  offers: { zh: '价格表', en: 'In the lists' },
  isNew: { zh: '未定价', en: 'Unpriced' },
  disagree: { zh: '价格表不一致', en: 'Lists disagree' },
  jump: { zh: '变化很大', en: 'Large change' },
  dearer: { zh: '最多上涨 {percent}%', en: 'up to {percent}% higher' },
  cheaper: { zh: '最多下降 {percent}%', en: 'up to {percent}% lower' },
  rule: { zh: '按规则选择', en: 'Choose by a rule' },
  only: { zh: '范围', en: 'Which' },
  all: { zh: '全部', en: 'All' },
  missing: { zh: '仅未定价', en: 'Unpriced only' },
  anyVendor: { zh: '所有供应商', en: 'All vendors' },
  agreeing: { zh: '至少一致的价格表', en: 'Lists that must agree' },
  maxDearer: { zh: '最多上涨（%）', en: 'Max increase (%)' },
  selected: {
    zh: '规则选中了 {count} 个模型',
    en: { one: 'The rule selects {count} model', other: 'The rule selects {count} models' },
  },
  ruleHint: {
    zh: '规则采用最多价格表给出的价格；变化超过一倍，或价格表意见不一、没有多数的模型，需要您逐个勾选。',
    en: 'The rule takes the price that most lists give. Prices that change by more than a factor of 2, and those on which the lists are split, must be selected one by one.',
  },
  approve: {
    zh: '批准 {count} 个价格',
    en: { one: 'Approve {count} price', other: 'Approve {count} prices' },
  },
  approveTitle: {
    zh: '批准 {count} 个价格？',
    en: { one: 'Approve {count} price?', other: 'Approve {count} prices?' },
  },
  approveAction: { zh: '批准', en: 'Approve' },
  asToday: { zh: '与现价相同', en: 'As today' },
  approved: {
    zh: '已批准 {count} 个价格，立即生效',
    en: {
      one: '{count} price approved; it applies from now on',
      other: '{count} prices approved; they apply from now on',
    },
  },
});

/** The names that the lists have for themselves. */
export const sourceNames = {
  models_dev: 'models.dev',
  litellm: 'LiteLLM',
  openrouter: 'OpenRouter',
} as const;
