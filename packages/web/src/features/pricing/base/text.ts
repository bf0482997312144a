import { texts } from '../../../lib/i18n.ts';

export const text = texts({
  title: { zh: '模型', en: 'Models' },
  compare: { zh: '并排比较', en: 'Compare' },
  closeCompare: { zh: '结束比较', en: 'End the comparison' },
  compareHint: { zh: '勾选 2 到 4 个模型', en: 'Select two to four models' },
  hint: {
    zh: '所有模型的资料与价格，勾选 2 到 4 个可以并排比较。',
    en: 'Details and prices of all models; select two to four to compare them.',
  },
  yourGroup: {
    zh: '您的默认分组为 {group}，分组倍率 {ratio}',
    en: 'Your group is {group}, with ratio {ratio}',
  },
  guest: {
    zh: '未登录，当前显示 {group} 分组的价格',
    en: 'You are not logged in: showing prices for the group {group}',
  },
  retiring: {
    zh: '厂商即将停用：{models}。请及时改用其他模型。',
    en: 'Retired by their vendors soon: {models}. Please change to other models in time.',
  },
  replace: { zh: '替换…', en: 'Replace…' },
  replaceTitle: { zh: '替换将停用的模型', en: 'Replace a retiring model' },
  retiringMore: {
    zh: '另有 {count} 个模型。',
    en: { one: '{count} more model has a date.', other: '{count} more models have dates.' },
  },
  login: { zh: '登录', en: 'Log in' },
  formula: {
    zh: '按量计费：费用 = 分组倍率 × 模型倍率 ×（输入 Token + 输出 Token × 补全倍率）÷ {perUnit}（美元）',
    en: 'Pay as you go: cost = group ratio × model ratio × (input tokens + output tokens × completion ratio) ÷ {perUnit} (USD)',
  },
  explain: { zh: '倍率说明', en: 'About ratios' },
  search: { zh: '模型名称', en: 'Model name' },
  group: { zh: '分组', en: 'Group' },
  showRatios: { zh: '显示倍率', en: 'Show ratios' },
  groupPlain: { zh: '{group} 分组', en: 'Group {group}' },
  groupOption: { zh: '{group} 分组 ×{ratio}', en: 'Group {group} ×{ratio}' },
  typeAll: { zh: '全部计费类型', en: 'All billing types' },
  perToken: { zh: '按量计费', en: 'Per token' },
  perCall: { zh: '按次计费', en: 'Per call' },
  copySelected: { zh: '复制选中的模型（{count}）', en: 'Copy selected ({count})' },
  availability: { zh: '可用性', en: 'Available' },
  available: { zh: '{group} 分组可用', en: 'The group {group} can use it' },
  unavailable: { zh: '{group} 分组不可用', en: 'The group {group} cannot use it' },
  model: { zh: '模型名称', en: 'Model' },
  unset: { zh: '未定价', en: 'Price not set' },
  unsetHint: {
    zh: '管理员还没有为它定价，显示的是默认价格',
    en: 'The administrator has set no price; a fallback price is shown',
  },
  unpriced: {
    zh: '管理员还没有为它定价，调用会被拒绝',
    en: 'The administrator has set no price: calls to it are refused',
  },
  billing: { zh: '计费类型', en: 'Billing' },
  groups: { zh: '可用分组', en: 'Groups' },
  showGroup: { zh: '查看 {group} 分组的价格', en: 'Show the prices of the group {group}' },
  switched: {
    zh: '当前查看的分组为 {group}',
    en: 'Showing the group {group}',
  },
  facts: { zh: '资料', en: 'Facts' },
  ratio: { zh: '倍率', en: 'Ratios' },
  modelRatio: { zh: '模型 {ratio}', en: 'model {ratio}' },
  completionRatio: { zh: '补全 {ratio}', en: 'completion {ratio}' },
  audioRatio: { zh: '音频 {ratio}', en: 'audio {ratio}' },
  contextTier: {
    zh: '输入 >{above}：输入 ×{input}、输出 ×{output}',
    en: 'input >{above}: ×{input} in, ×{output} out',
  },
  tiers: {
    zh: '{group} 分组的长输入与服务等级价格：',
    en: 'Long prompts and service tiers in the group {group}:',
  },
  contextPrice: {
    zh: '输入超过 {above}：输入 {input}、输出 {output}',
    en: 'over {above} of input: {input} in, {output} out',
  },
  tierPrice: { zh: '{tier}：输入 {input}、输出 {output}', en: '{tier}: {input} in, {output} out' },
  groupRatio: { zh: '分组 {ratio}', en: 'group {ratio}' },
  input: { zh: '输入 / 1M', en: 'Input / 1M' },
  output: { zh: '输出 / 1M', en: 'Output / 1M' },
  cacheRead: { zh: '缓存读取 / 1M', en: 'Cache read / 1M' },
  price: { zh: '价格', en: 'Price' },
  eachCall: { zh: '{price} / 次', en: '{price} / call' },
  emptyTitle: { zh: '没有可用的模型', en: 'No models yet' },
  emptyHint: {
    zh: '管理员还没有开放任何渠道。',
    en: 'The administrator has not enabled any channel yet.',
  },
  noMatch: { zh: '没有符合条件的模型', en: 'No model matches' },
  everyGroup: { zh: '各分组的价格', en: 'Prices by group' },
  perMillion: { zh: '美元 / 1M Token', en: 'USD per 1M tokens' },
  perCallUnit: { zh: '美元 / 次', en: 'USD per call' },
  callPrice: { zh: '每次', en: 'Per call' },
  notUsable: { zh: '您的任何分组都不能使用这个模型。', en: 'None of your groups can use this model.' },
});

/** Classes of tokens by their names in the price function. */
export const classNames = texts({
  input: { zh: '输入', en: 'Input' },
  output: { zh: '输出', en: 'Output' },
  cacheRead: { zh: '缓存读取', en: 'Cache read' },
  cacheWrite5m: { zh: '缓存写入（5 分钟）', en: 'Cache write (5 min)' },
  cacheWrite1h: { zh: '缓存写入（1 小时）', en: 'Cache write (1 h)' },
  imageInput: { zh: '图像输入', en: 'Image input' },
  audioInput: { zh: '音频输入', en: 'Audio input' },
  audioOutput: { zh: '音频输出', en: 'Audio output' },
});

/** Service tiers by their names in the API; other names are shown unchanged. */
export const tierNames = texts({
  flex: { zh: '弹性（flex）', en: 'flex' },
  batch: { zh: '批量（batch）', en: 'batch' },
  priority: { zh: '优先（priority）', en: 'priority' },
});
