import type { Words } from '../words.ts';
import { product } from '../product.ts';

const active = { zh: '1 正常，2 封禁', en: '1 active, 2 banned' };
const tokenStates = {
  zh: '1 启用，2 禁用，3 过期，4 额度用尽',
  en: '1 enabled, 2 disabled, 3 expired, 4 exhausted',
};
const channelStates = {
  zh: '1 启用，2 手动禁用，3 自动禁用',
  en: `1 enabled, 2 disabled by hand, 3 disabled by ${product.name}`,
};
const codeStates = { zh: '1 未使用，2 禁用，3 已使用', en: '1 unused, 2 disabled, 3 used' };
const httpStatus = { zh: 'HTTP 状态码；0 表示没有', en: 'HTTP status; 0 where there was none' };
const teamRole = { zh: '1 成员，2 管理员，3 所有者', en: '1 a member, 2 a manager, 3 the owner' };
const logTypes = {
  zh: '0 未知（筛选时为全部），1 充值，2 消费，3 管理，4 系统，5 错误，6 退款，7 登录',
  en: '0 unknown (all, in filters), 1 top-up, 2 consumption, 3 management, 4 system, 5 error, 6 refund, 7 sign-in',
};
const provider = {
  zh: '供应商编号，见渠道类型列表',
  en: 'The number of the provider, as the list of types has it',
};
const fromZero = { zh: '页码，从 0 开始', en: 'The page; counts from 0' };
const quota = { zh: '额度单位', en: 'Quota units' };
const movedBy = {
  zh: '收费的变化，额度单位；负数为退回',
  en: 'Change of the charge in quota units; below zero was given back',
};
const movement = { zh: '余额的变化，额度单位', en: 'Change of the balance in quota units' };
const milliseconds = { zh: 'Unix 毫秒；0 表示没有', en: 'Unix milliseconds; 0 for none' };
const zeroForNever = { zh: 'Unix 秒；0 表示永不过期', en: 'Unix seconds; 0 for never' };
const dollars = { zh: '每百万 Token 的美元数', en: 'US dollars for a million tokens' };
const dayEnd = {
  zh: '最后一天的结束（不含），Unix 秒',
  en: 'Unix seconds of the end of the last day, exclusive',
};
const older = {
  zh: '上一页的 next，只取更早的记录；0 表示最新',
  en: 'The next of the page before, for older rows; 0 for the newest',
};
const most = { zh: '最多多少条', en: 'Rows at most' };
const next = { zh: '下一页的 before；没有更多时为 null', en: 'The before of the next page; null at the end' };
const taken = { zh: '供应商已接受为 1，否则为 0', en: '1 once the vendor has taken it, else 0' };

/** What a number means in one schema, or among the fields of one part of the reference: `Schema.name` or `part.name`. */
export const specialMeanings: Readonly<Record<string, Words>> = {
  'SignedIn.status': active,
  'UserData.status': active,
  'ManagedUserData.status': active,
  'users.status': active,
  'organisations.status': active,
  'all-organisations.status': active,
  'TokenData.status': tokenStates,
  'TeamTokenData.status': tokenStates,
  'tokens.status': tokenStates,
  'organisation-keys.status': tokenStates,
  'ChannelData.status': channelStates,
  'channels.status': channelStates,
  'RedemptionData.status': codeStates,
  'RedemptionData.expired_time': zeroForNever,
  'codes.expired_time': zeroForNever,
  'codes.status': codeStates,
  'ReceiptData.status': httpStatus,
  'ChannelTraffic.first_byte_ms': {
    zh: '首字节耗时的中位数，毫秒；没有时为 null',
    en: 'Median milliseconds to the first byte of its answers; null when none tells it',
  },
  'UsageSummary.status': httpStatus,
  'ChannelFailure.status': httpStatus,
  'organisations.role': teamRole,
  'invitations.role': teamRole,
  'LogData.type': logTypes,
  'logs.type': logTypes,
  'organisation-records.type': logTypes,
  'ChannelData.type': provider,
  'ChannelTypeData.type': provider,
  'channels.type': provider,
  'tokens.p': fromZero,
  'organisation-keys.p': fromZero,
  'channels.p': fromZero,
  'drawings.p': fromZero,
  'tasks.p': fromZero,
  'organisations.balance': quota,
  'all-organisations.balance': quota,
  'ChannelData.balance': { zh: '供应商所报的美元数', en: 'US dollars, as the vendor says' },
  'channels.balance': { zh: '供应商所报的美元数', en: 'US dollars, as the vendor says' },
  'TopUpData.amount': { zh: '购买的美元数', en: 'US dollars that were bought' },
  'wallet.amount': {
    zh: '美元；以额度单位显示金额的站点为额度单位',
    en: 'US dollars, or quota units where the site shows amounts as such',
  },
  'MovementData.amount': movement,
  'organisation-records.amount': movement,
  'users.value': { zh: 'add_quota 的额度单位数', en: 'For add_quota, in quota units' },
  'all-organisations.quota': {
    zh: '增加的额度单位，负数为扣除',
    en: 'Quota units to add; below 0 to take away',
  },
  'DrawingData.submit_time': milliseconds,
  'DrawingData.start_time': milliseconds,
  'reconciliation.end_time': dayEnd,
  'DrawingData.finish_time': milliseconds,
  'OwnDrawingData.submit_time': milliseconds,
  'OwnDrawingData.start_time': milliseconds,
  'OwnDrawingData.finish_time': milliseconds,
  'drawings.start_timestamp': milliseconds,
  'drawings.end_timestamp': milliseconds,
  'DrawingData.code': taken,
  'OwnDrawingData.code': taken,
  'costs.call': { zh: '每次调用的美元数', en: 'US dollars for each call' },
  'costs.input': dollars,
  'costs.output': dollars,
  'costs.cache_read': dollars,
  'costs.cache_write': dollars,
  'history.before': older,
  'audit.before': older,
  'tasks.before': {
    zh: '只取早于此 ID 的；0 表示最新',
    en: 'Only what is older than this id; 0 for the newest',
  },
  'history.limit': most,
  'audit.limit': most,
  'AuditPage.next': next,
  'MovementPage.next': next,
  'RehearsalOutcome.balance': { zh: '当前余额，额度单位', en: 'The balance of now, in quota units' },
  'RehearsalOutcome.before': { zh: '当时的收费，额度单位', en: 'As it was charged, in quota units' },
  'RehearsalOutcome.after': { zh: '按新价格的收费，额度单位', en: 'As it would be charged, in quota units' },
  'RehearsalOutcome.days_left': {
    zh: '余额可用的天数；null 表示一直够用',
    en: 'Days that the balance lasts; null for ever',
  },
  'RehearsalOutcome.quota': quota,
  'ReratingData.progress': {
    zh: '已完成的比例，0 至 1；撤销中为已撤销的比例',
    en: 'The part that is done, 0 to 1; while it is undone, the part that is undone',
  },
  'ReratingData.given_back': quota,
  'ReratingData.collected': quota,
  'ReratingData.uncollected': quota,
  'ReratingData.left_quota': quota,
  'ReratingData.not_taken_back': quota,
  'ReratingData.finished_time': { zh: 'Unix 秒；0 表示没有', en: 'Unix seconds; 0 for none' },
  'ReratingData.reverted_time': { zh: 'Unix 秒；0 表示没有', en: 'Unix seconds; 0 for none' },
  'ReratingRowData.charge_before': quota,
  'ReratingRowData.charge_after': quota,
  'ReratingRowData.difference': movedBy,
  'ReratingRowData.undone': movedBy,
  'ReceiptData.difference': movedBy,
  'ReceiptData.charged_in_all': quota,
  'RehearsalData.progress': { zh: '已读取的比例，0 至 1', en: 'The part of the rows that was read, 0 to 1' },
  'channels.time': { zh: '测试耗时，秒', en: 'How long the test took, in seconds' },
  'wallet.data': { zh: '获得的额度单位', en: 'Quota units that were gained' },
  'organisations.data': {
    zh: '操作后的组织余额；解散时为退回、兑换时为获得的额度，额度单位',
    en: 'The wallet afterwards; of a deletion what the owner gets, of a code what it brings. In quota units',
  },
  'logs.data': { zh: '删除的记录数', en: 'Rows that were deleted' },
};
