import { z } from 'zod';
import { pageSizeField } from '../envelope.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import { sessionData } from './auth.ts';
import { tokenData } from './token.ts';
import { meanings } from '../meanings.ts';
import { product } from '../product.ts';

/** A value in an audit row. Secrets are masked, long texts are cut. */
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** An action or an attempted action. */
export const auditData = z.object({
  id: z.number().int().meta({ zh: '记录 ID', en: 'Id of the record' }),
  at: z.number().int().meta(meanings.seconds),
  kind: z.string().meta({ ...meanings.auditKind, example: 'token.delete' }),
  outcome: z.string().meta({
    zh: '空为成功，否则为错误的名称',
    en: 'Empty for done; else why not, by the name of the refusal',
  }),
  actor_id: z
    .number()
    .int()
    .meta({ zh: '0 为游客或系统', en: `0 for a guest or ${product.name} itself` }),
  actor_name: z.string().meta(meanings.actorName),
  user_id: z
    .number()
    .int()
    .meta({ zh: '涉及的账户；0 为无', en: 'Whose account it concerns; 0 for nobody’s' }),
  target_type: z.string().meta({
    zh: 'user、token、channel、setting、team 等；空为无',
    en: '`user`, `token`, `channel`, `setting`, `team` and more; empty for nothing',
    example: 'token',
  }),
  target_id: z.string().meta({ zh: '对象的 ID', en: 'Id of what it was done to', example: '7' }),
  target_name: z.string().meta({ zh: '对象的名称', en: 'Name of what it was done to', example: 'build' }),
  /** Authentication method of the actor: session, access-token, key, password, passkey or the id of a provider. */
  method: z.string().meta({
    zh: '身份如何确认：session、access-token、key、password、passkey 或登录方式',
    en: 'How the actor was known: `session`, `access-token`, `key`, `password`, `passkey` or a provider',
    example: 'session',
  }),
  ip: z.string().meta({ zh: 'IP 地址', en: 'Address of the client', example: '127.0.0.1' }),
  user_agent: z.string().meta({ ...meanings.userAgent, example: 'node' }),
  request_id: z.string().meta(meanings.requestId),
  changes: z
    .record(
      z.string(),
      z.object({
        before: value.meta({ zh: '修改前的值', en: 'Value before', example: 11_000_000 }),
        after: value.meta({ zh: '修改后的值', en: 'Value after', example: 11_500_000 }),
      }),
    )
    .meta({ zh: '变更的字段', en: 'Fields that changed' }),
  note: z
    .record(z.string(), value)
    .meta({ zh: '其他细节：金额为额度单位', en: 'More about it; amounts in quota units' }),
});
export type AuditData = z.output<typeof auditData>;

/** The newest matching rows. `next` is the cursor for older rows; null at the end. */
export const auditPage = z.object({
  items: z.array(auditData).meta(meanings.items),
  next: z
    .number()
    .int()
    .nullable()
    .meta({ ...meanings.next, example: 67 }),
});
export type AuditPage = z.output<typeof auditPage>;

/** A change of a balance other than by usage. */
export const movementData = z.object({
  id: z.number().int().meta({ zh: '记录 ID', en: 'Id of the record' }),
  at: z.number().int().meta(meanings.seconds),
  kind: z.string().meta({
    zh: 'gift、invite、topup、redeem、transfer、adjust 或 refund',
    en: '`gift`, `invite`, `topup`, `redeem`, `transfer`, `adjust` or `refund`',
    example: 'redeem',
  }),
  amount: z
    .number()
    .int()
    .meta({ ...meanings.balanceChange, example: 500_000 }),
  reward: z.number().int().meta({
    zh: '邀请奖励的变化，额度单位',
    en: 'Change of the invitation reward in quota units',
    example: -500_000,
  }),
  reason: z.string().meta({ zh: '原因；种类已说明时为空', en: 'Why; empty where the kind says it' }),
  actor_id: z
    .number()
    .int()
    .meta({ zh: '0 为本人或系统', en: `0 for the user or ${product.name} itself` }),
  actor_name: z.string().meta(meanings.actorName),
});
export type MovementData = z.output<typeof movementData>;

export const movementPage = z.object({
  items: z.array(movementData).meta(meanings.items),
  next: z.number().int().nullable().meta(meanings.next),
});

const id = whole(1, Number.MAX_SAFE_INTEGER).meta(meanings.userId);
const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);
const name = z.string().trim().max(255).default('');
/** `before` is the `next` of the previous page; 0 for the newest rows. */
const cursor = {
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).catch(0).default(0).meta({
    zh: '上一页的 next，只取更早的记录；0 表示最新',
    en: 'The next of the page before, for older rows; 0 for the newest',
  }),
  limit: pageSizeField(50).meta({ zh: '最多多少条', en: 'Rows at most' }),
};

/** Actions of people (Tollgate extension). */
export const auditApi = {
  list: route('GET', '/api/audit/', {
    summary: { zh: '查询审计记录', en: 'List what people did' },
    example: { kind: 'user', limit: 2 },
    access: 'root',
    input: z.object({
      start_timestamp: moment.meta(meanings.bound),
      end_timestamp: moment.meta(meanings.bound),
      actor: name.meta({ zh: '操作者的 ID 或名称', en: 'Id or name of who did it' }),
      target: name.meta({ zh: '对象的 ID 或名称', en: 'Id or name of what it was done to' }),
      kind: z.string().max(64).default('').meta(meanings.auditKind),
      text: name.meta({ zh: '名称、地址和内容中的文字', en: 'Words in names, addresses and contents' }),
      ...cursor,
    }),
    data: auditPage,
  }),
};

/** Events of one user, for administrators of a higher rank (Tollgate extension). */
export const userHistoryApi = {
  audit: route('GET', '/api/user/:id/audit', {
    summary: { zh: '查询某用户的审计记录', en: 'List what was done by and to a user' },
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    access: 'admin',
    input: z.object({ id, ...cursor }),
    data: auditPage,
  }),
  sessions: route('GET', '/api/user/:id/sessions', {
    summary: { zh: '查询某用户的会话', en: 'List where a user is signed in' },
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    access: 'admin',
    input: z.object({ id }),
    data: z.array(sessionData.omit({ current: true })),
  }),
  /** Never includes whole keys, even if the site stores them. */
  tokens: route('GET', '/api/user/:id/tokens', {
    summary: { zh: '查询某用户的令牌', en: 'List a user’s keys' },
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    access: 'admin',
    input: z.object({ id }),
    data: z.array(tokenData),
  }),
  movements: route('GET', '/api/user/:id/movements', {
    summary: { zh: '查询某用户的余额变动', en: 'List what moved a user’s balance' },
    errors: ['user_not_found', 'cannot_read_peer'],
    example: { id: 2 },
    access: 'admin',
    input: z.object({ id, ...cursor }),
    data: movementPage,
  }),
};
