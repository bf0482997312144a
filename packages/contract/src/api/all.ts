import { alarmApi } from './alarm.ts';
import { attentionApi } from './attention.ts';
import { auditApi, userHistoryApi } from './audit.ts';
import { authApi } from './auth.ts';
import { budgetApi } from './budget.ts';
import { channelApi, channelHealthApi, costApi, modelApi, routingApi, trafficApi } from './channels/index.ts';
import { emailApi } from './email.ts';
import { grantApi } from './grant.ts';
import { groupApi } from './group.ts';
import { oauthApi } from './oauth.ts';
import { optionApi } from './option.ts';
import { autoTopUpApi } from './auto-top-up.ts';
import { planApi } from './plan.ts';
import { priceSyncApi, pricesApi } from './prices/index.ts';
import { pricingApi } from './pricing.ts';
import { rehearsalApi, reratingApi } from './price-changes/index.ts';
import { reconciliationApi } from './reconciliation/index.ts';
import { redemptionApi } from './redemption.ts';
import { referenceApi } from './reference.ts';
import { personalDataApi } from './personal-data.ts';
import { passkeyApi } from './sign-in/passkey.ts';
import { secondFactorApi } from './sign-in/second-factor.ts';
import { selfApi } from './self.ts';
import { replacementApi } from './replacement.ts';
import { setupApi } from './setup.ts';
import { statementApi, teamStatementApi } from './statement.ts';
import { statusApi } from './status.ts';
import { signInProviderApi } from './sign-in-provider.ts';
import { teamAdminApi, teamApi, teamImportApi, teamInvitationApi, teamRecordApi } from './team/index.ts';
import { teamTokenApi } from './team-token.ts';
import { tokenApi } from './token.ts';
import { dataApi, drawingApi, logApi, marginApi, modelMonthApi, receiptApi, taskApi } from './usage/index.ts';
import { userApi } from './user.ts';
import { walletApi } from './wallet.ts';
import type { Route } from '../route.ts';
import type { Words } from '../words.ts';

/** The calls of one part of the console. */
export interface ConsoleApi {
  /** Name of the part in the reference: a lower-case word. */
  id: string;
  title: Words;
  calls: Readonly<Record<string, Route>>;
}

/** All console calls by part, in the order of the reference. */
export const consoleApis: readonly ConsoleApi[] = [
  { id: 'site', title: { zh: '站点', en: 'Site' }, calls: statusApi },
  { id: 'attention', title: { zh: '待处理问题', en: 'Needs attention' }, calls: attentionApi },
  { id: 'setup', title: { zh: '初始化', en: 'Set-up' }, calls: setupApi },
  { id: 'sign-in', title: { zh: '注册与登录', en: 'Signing up and in' }, calls: authApi },
  { id: 'second-factor', title: { zh: '两步验证', en: 'Second factor' }, calls: secondFactorApi },
  { id: 'passkeys', title: { zh: '通行密钥', en: 'Passkeys' }, calls: passkeyApi },
  { id: 'mail', title: { zh: '邮箱', en: 'E-mail' }, calls: emailApi },
  { id: 'other-sites', title: { zh: '第三方登录', en: 'Other sites' }, calls: oauthApi },
  {
    id: 'providers',
    title: { zh: '自定义登录方式', en: 'OpenID providers' },
    calls: signInProviderApi,
  },
  { id: 'account', title: { zh: '个人账户', en: 'Own account' }, calls: selfApi },
  { id: 'wallet', title: { zh: '钱包', en: 'Wallet' }, calls: walletApi },
  { id: 'auto-top-up', title: { zh: '自动充值', en: 'Automatic top-up' }, calls: autoTopUpApi },
  { id: 'credit', title: { zh: '额度', en: 'Credit' }, calls: grantApi },
  { id: 'plans', title: { zh: '套餐', en: 'Plans' }, calls: planApi },
  { id: 'tokens', title: { zh: '令牌', en: 'Keys' }, calls: tokenApi },
  { id: 'organisations', title: { zh: '组织', en: 'Organisations' }, calls: teamApi },
  {
    id: 'invitations',
    title: { zh: '组织邀请', en: 'Invitations into organisations' },
    calls: teamInvitationApi,
  },
  {
    id: 'member-import',
    title: { zh: '批量导入成员', en: 'Import of members' },
    calls: teamImportApi,
  },
  { id: 'organisation-keys', title: { zh: '组织令牌', en: 'Keys of organisations' }, calls: teamTokenApi },
  {
    id: 'organisation-records',
    title: { zh: '组织日志与账单', en: 'Log and statement of organisations' },
    calls: teamRecordApi,
  },
  { id: 'statements', title: { zh: '账单', en: 'Statements' }, calls: statementApi },
  {
    id: 'organisation-statements',
    title: { zh: '组织的月度账单', en: 'Monthly statements of organisations' },
    calls: teamStatementApi,
  },
  { id: 'logs', title: { zh: '日志', en: 'Logs' }, calls: logApi },
  { id: 'receipts', title: { zh: '计费明细', en: 'Receipts' }, calls: receiptApi },
  { id: 'drawings', title: { zh: '绘图', en: 'Drawings' }, calls: drawingApi },
  { id: 'tasks', title: { zh: '异步任务', en: 'Songs and videos' }, calls: taskApi },
  { id: 'usage', title: { zh: '用量', en: 'Usage' }, calls: dataApi },
  { id: 'prices', title: { zh: '价格', en: 'Prices' }, calls: pricingApi },
  { id: 'price-tables', title: { zh: '价格表', en: 'Tables of prices' }, calls: pricesApi },
  { id: 'price-lists', title: { zh: '公开价格表', en: 'Public price lists' }, calls: priceSyncApi },
  {
    id: 'model-months',
    title: { zh: '换用模型试算', en: 'A month with another model' },
    calls: modelMonthApi,
  },
  { id: 'price-changes', title: { zh: '价格变更', en: 'Changes of prices' }, calls: rehearsalApi },
  { id: 'corrections', title: { zh: '收费更正', en: 'Corrections of charges' }, calls: reratingApi },
  { id: 'models', title: { zh: '模型', en: 'Models' }, calls: modelApi },
  { id: 'groups', title: { zh: '分组', en: 'Groups' }, calls: groupApi },
  { id: 'channels', title: { zh: '渠道', en: 'Channels' }, calls: channelApi },
  { id: 'channel-health', title: { zh: '渠道健康', en: 'Health of channels' }, calls: channelHealthApi },
  { id: 'replacement', title: { zh: '替换模型', en: 'Replacement of models' }, calls: replacementApi },
  { id: 'routing', title: { zh: '渠道选择', en: 'Choice of channels' }, calls: routingApi },
  {
    id: 'past-routing',
    title: { zh: '过去的渠道选择', en: 'Choice of channels in the past' },
    calls: trafficApi,
  },
  { id: 'alarms', title: { zh: '告警', en: 'Alarms' }, calls: alarmApi },
  { id: 'costs', title: { zh: '成本', en: 'Costs' }, calls: costApi },
  { id: 'margins', title: { zh: '毛利', en: 'Margins' }, calls: marginApi },
  { id: 'reconciliation', title: { zh: '对账', en: 'Reconciliation' }, calls: reconciliationApi },
  { id: 'budgets', title: { zh: '预算', en: 'Budgets' }, calls: budgetApi },
  { id: 'codes', title: { zh: '兑换码', en: 'Redemption codes' }, calls: redemptionApi },
  { id: 'history', title: { zh: '用户记录', en: 'What happened to a user' }, calls: userHistoryApi },
  {
    id: 'personal-data',
    title: { zh: '个人数据导出', en: 'Export of a person’s data' },
    calls: personalDataApi,
  },
  { id: 'users', title: { zh: '用户', en: 'Users' }, calls: userApi },
  { id: 'audit', title: { zh: '审计', en: 'Audit' }, calls: auditApi },
  { id: 'all-organisations', title: { zh: '所有组织', en: 'All organisations' }, calls: teamAdminApi },
  { id: 'options', title: { zh: '选项', en: 'Options' }, calls: optionApi },
  { id: 'reference', title: { zh: '接口文档', en: 'Reference' }, calls: referenceApi },
];
