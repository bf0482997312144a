import type { RehearsalOutcome } from '@tollgate/contract';
import { texts, type Text } from '../../lib/i18n.ts';

export const text = texts({
  action: { zh: '试算影响', en: 'Rehearse on past usage' },
  correction: { zh: '新的更正', en: 'New correction' },
  hint: {
    zh: '用这些尚未保存的价格重新计算过去的用量，不会更改任何数据。',
    en: 'What past usage would cost at these prices, which are not saved yet; nothing is changed.',
  },
  inForce: {
    zh: '按目前已保存的价格重新计算过去的用量，只有随后开始更正时才会更改数据。',
    en: 'What past usage would cost at the saved prices; nothing changes until you start a correction below.',
  },
  close: { zh: '关闭', en: 'Close' },
  days: { zh: '时间范围', en: 'Usage of' },
  lastDays: { zh: '最近 {count} 天', en: { one: 'the last day', other: 'the last {count} days' } },
  ownSpan: { zh: '自定义…', en: 'a span of time…' },
  narrow: { zh: '限定模型、分组或用户', en: 'Limit to some models, groups or a user' },
  modelChosen: { zh: '该模型已选择', en: 'This model is chosen already' },
  onlyModels: { zh: '模型', en: 'Models' },
  onlyGroups: { zh: '分组', en: 'Groups' },
  onlyPerson: { zh: '用户', en: 'User' },
  all: { zh: '全部', en: 'All' },
  everybody: { zh: '所有用户', en: 'All users' },
  start: { zh: '开始试算', en: 'Rehearse' },
  stop: { zh: '停止', en: 'Stop' },
  running: { zh: '正在试算', en: 'Repricing past usage' },
  failed: { zh: '试算没有完成，请重试', en: 'The rehearsal did not finish, please try again' },
  before: { zh: '原收费', en: 'Charged' },
  after: { zh: '试算收费', en: 'Would be' },
  change: { zh: '变化', en: 'Change' },
  was: { zh: '原为', en: 'It was' },
  costed: {
    zh: '仅 {count} 次调用的成本已知',
    en: { one: 'the cost of {count} call is known', other: 'the cost of {count} calls is known' },
  },
  playground: { zh: '操练场', en: 'Playground' },
  goneKey: { zh: '已删除的令牌（ID {id}）', en: 'a deleted key (id {id})' },
  margin: { zh: '毛利', en: 'Margin' },
  calls: { zh: '调用次数', en: 'Calls' },
  rows: { zh: '{count} 次调用', en: { one: '{count} call', other: '{count} calls' } },
  unchanged: { zh: '没有任何调用的收费会改变', en: 'No charge would change' },
  models: { zh: '变化最大的模型', en: 'Models with the largest changes' },
  users: { zh: '变化最大的用户', en: 'Users most affected' },
  keys: { zh: '变化最大的令牌', en: 'Keys most affected' },
  more: {
    zh: '共 {count} 个，仅列出变化最大的',
    en: '{count} in total; only the largest changes are listed',
  },
  name: { zh: '名称', en: 'Name' },
  dry: { zh: '余额将不足', en: 'Balance would run out' },
  dryHint: {
    zh: '付费更多，且现有余额不够支付差额，或按此用量不足一周。',
    en: 'They would pay more, and their balance does not cover the difference or would last less than a week at this rate.',
  },
  balance: { zh: '余额', en: 'Balance' },
  lasts: { zh: '可用天数', en: 'Lasts' },
  belowZero: { zh: '不够支付差额', en: 'Not covered' },
  inDays: { zh: '{days} 天', en: '{days} days' },
  team: { zh: '组织', en: 'Organisation' },
  apart: { zh: '未计入的记录', en: 'Records left out' },
  apartHint: {
    zh: '这些记录不足以重新计价，没有猜测。',
    en: 'These do not hold enough detail to be repriced; nothing is guessed.',
  },
});

type Reason = RehearsalOutcome['apart'][number]['reason'];

/** Reasons why rows are left out. */
export const reasons: Readonly<Record<Reason, Text>> = texts({
  no_terms: { zh: '没有计费明细（较早或导入的记录）', en: 'No price details (older or imported records)' },
  crash: { zh: '网关中断时留下的记录', en: 'Left by a gateway crash' },
  unexplained: { zh: '明细与收费不符', en: 'The details do not add up to the charge' },
  uncharged: { zh: '未收费', en: 'Nothing was charged' },
  refund: { zh: '退款', en: 'Refunds' },
  sale: { zh: '应用自定的收费', en: 'Amounts that an application has set' },
  task_open: { zh: '未结束或已退款的任务', en: 'Tasks still running or refunded' },
  tool_price: { zh: '搜索价格表已不存在', en: 'Searches priced by a table that no longer exists' },
  calls_unknown: {
    zh: '按次计价，但记录中没有次数',
    en: 'Priced per call, but the number of calls was not recorded',
  },
  unpriced: { zh: '按新价格没有定价，会被拒绝', en: 'Would be refused: no price set' },
});
