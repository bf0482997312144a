import { z } from 'zod';
import { pageSizeField } from '../envelope.ts';
import { route } from '../route.ts';
import { whole } from '../whole.ts';
import { sessionData } from './auth.ts';
import { tokenData } from './token.ts';

/** A value in a row of the audit; secrets as a mask, long texts cut. */
const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** What somebody did or tried. */
export const auditData = z.object({
  id: z.number().int(),
  /** Unix seconds. */
  at: z.number().int(),
  /** One of `auditKinds`. */
  kind: z.string(),
  /** '' for done; else why not, by the name of our error. */
  outcome: z.string(),
  /** 0 for a guest or Tollgate itself. */
  actor_id: z.number().int(),
  actor_name: z.string(),
  /** Whose account it concerns; 0 for nobody's. */
  user_id: z.number().int(),
  /** user, token, channel, redemption, setting …; '' for nothing. */
  target_type: z.string(),
  target_id: z.string(),
  target_name: z.string(),
  /** How the actor proved who they are: session, access-token, password, passkey, a provider's id. */
  method: z.string(),
  ip: z.string(),
  user_agent: z.string(),
  request_id: z.string(),
  /** The fields that changed. */
  changes: z.record(z.string(), z.object({ before: value, after: value })),
  /** Further particulars: amounts in quota units, reasons, numbers of rows. */
  note: z.record(z.string(), value),
});
export type AuditData = z.output<typeof auditData>;

/** The newest rows of a question; `next` asks for those before them, null at the end. */
export const auditPage = z.object({ items: z.array(auditData), next: z.number().int().nullable() });
export type AuditPage = z.output<typeof auditPage>;

/** A movement of a balance other than by use. */
export const movementData = z.object({
  id: z.number().int(),
  /** Unix seconds. */
  at: z.number().int(),
  /** gift, invite, topup, redeem, transfer, adjust, refund. */
  kind: z.string(),
  /** Change of the balance in quota units. */
  amount: z.number().int(),
  /** Change of the invitation reward in quota units. */
  reward: z.number().int(),
  /** Why, in words; '' where the kind says it. */
  reason: z.string(),
  /** Who did it; 0 for the user or Tollgate itself. */
  actor_id: z.number().int(),
  actor_name: z.string(),
});
export type MovementData = z.output<typeof movementData>;

export const movementPage = z.object({ items: z.array(movementData), next: z.number().int().nullable() });

const id = whole(1, Number.MAX_SAFE_INTEGER);
const moment = z.coerce.number().int().min(0).max(100_000_000_000).catch(0).default(0);
const name = z.string().trim().max(255).default('');
/** `before` is the `next` of the page before; 0 for the newest rows. */
const cursor = {
  before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).catch(0).default(0),
  limit: pageSizeField(50),
};

/** What people did (Tollgate extension). */
export const auditApi = {
  list: route('GET', '/api/audit/', {
    summary: { zh: '查询审计记录', en: 'List what people did' },
    example: { kind: 'user', limit: 2 },
    access: 'root',
    input: z.object({
      /** Unix seconds, both included; 0 for no bound. */
      start_timestamp: moment,
      end_timestamp: moment,
      /** Who did it: an id, or a name as it was then. */
      actor: name,
      /** Whose account it concerns, or what it was done to: an id, or a name as it was then. */
      target: name,
      /** A kind, or a family of kinds such as `user`. */
      kind: z.string().max(64).default(''),
      /** Part of a name, an address, an id or of what changed. */
      text: name,
      ...cursor,
    }),
    data: auditPage,
  }),
};

/** What happened to one user, for administrators above them (Tollgate extension). */
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
  /** Without whole keys, whatever the site keeps of them. */
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
