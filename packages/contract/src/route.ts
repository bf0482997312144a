import type { z } from 'zod';
import type { ErrorCode, Words } from './errors.ts';
import type { Access, TeamRole } from './roles.ts';
import type { AuditKind } from './audit-kinds.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Calls for which signed-in users must confirm their identity again. `always`: all users, by a second factor, or by the
 * password without one. `with-factor`: only accounts with a second factor.
 */
export type Reauthentication = 'always' | 'with-factor';

/** Validity of a second factor, or of a password sent to `POST /api/verify`, for its session. */
export const proofSeconds = 15 * 60;

/** Declaration of a console call. The server, the console and the tests use it. */
export interface Route<
  Input extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Extra extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: Method;
  /** Path with `:name` slots. Slots of numeric input accept only digits. A trailing slash is optional. */
  path: string;
  /** Short description of the call for the API reference. */
  summary: Words;
  access: Access;
  /** Refusals of this call, beside those for access, limits and input (`refusalsOf`). */
  errors?: readonly ErrorCode[];
  /** Example input for the API reference and a test; `{}` if absent. */
  example?: unknown;
  /** Path slots, query (GET, DELETE) and JSON body (POST, PUT) merged into one object. */
  input: Input;
  /**
   * Row in answers of a call. The body of a change may contain its members, where they have no effect. The call
   * refuses other members that the input does not know, by name.
   */
  echoes?: z.ZodObject;
  /** Display names of input fields with misleading usual names. */
  fieldNames?: Readonly<Record<string, Words>>;
  /** Schema of the envelope's `data`. */
  data: Data;
  /**
   * Object schema of the fields beside `data` in the envelope, for the few calls with such fields (pricing
   * `group_ratio`, channel test `time`, balance `balance`). A handler of such a call returns `{ data, extra }`.
   */
  extra: Extra;
  /** `message` of a success, for the few calls with one; '' if absent. */
  done?: Words;
  /** True for the calls of docs/compatibility.md#address-limits "CT": sign-in, codes, reset. */
  critical?: boolean;
  /** Minimum role in the team of the slot `:id`. Non-members get `team_not_found`, the same as for a missing team. */
  teamRole?: TeamRole;
  /** Required confirmation of identity; absent if none is required. */
  reauthenticate?: Reauthentication;
  /** Input fields that require the confirmation if they are not empty; absent if every call requires it. */
  reauthenticateFor?: readonly string[];
  /**
   * True if the call needs the human check while this check is on ("TS" of
   * docs/compatibility.md#envelope-and-routes).
   */
  humanCheck?: boolean;
  /** Kind of the audit record; absent for calls without one. An addition of Tollgate. */
  audit?: AuditKind;
  /** Wire format without the envelope, for the few calls without one. */
  bare?: BareAnswer;
  /**
   * True if the call works on a demo site (docs/compatibility.md#modes), if it differs from the rule: GET works,
   * other methods do not.
   */
  demo?: boolean;
  /**
   * Scope of the access tokens that make only calls such as this one. Tokens of `all` and sessions make them too; other
   * tokens do not.
   */
  scope?: 'scim';
}

/** True if a call works on a demo site: it changes nothing, or nothing that affects other users. */
export const worksInDemo = ({ method, demo }: Pick<Route, 'method' | 'demo'>): boolean =>
  demo ?? method === 'GET';

/**
 * `message`: `{message: 'success' | 'error', data}` (docs/compatibility.md#online-top-up). `data`: only the data;
 * refusals have the envelope.
 */
export type BareAnswer = 'message' | 'data';

interface RouteSpec<Input extends z.ZodType, Data extends z.ZodType> {
  summary: Words;
  access: Access;
  errors?: readonly ErrorCode[];
  example?: z.input<Input>;
  input: Input;
  echoes?: z.ZodObject;
  fieldNames?: Readonly<Record<string, Words>>;
  data: Data;
  done?: Words;
  critical?: boolean;
  teamRole?: TeamRole;
  reauthenticate?: Reauthentication;
  reauthenticateFor?: readonly string[];
  humanCheck?: boolean;
  audit?: AuditKind;
  bare?: BareAnswer;
  demo?: boolean;
  scope?: 'scim';
}

/**
 * Header for the password of accounts without a second factor, in calls that require it: percent-encoded UTF-8
 * (`encodeURIComponent`), because headers contain only ASCII. A missing password gives `password_required`, a wrong
 * one `wrong_password`.
 */
export const currentPasswordHeader = 'x-current-password';

/** Declares a console call. */
export function route<Input extends z.ZodType, Data extends z.ZodType>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data>,
): Route<Input, Data, undefined>;
/** Declares a console call with additional top-level fields. */
export function route<Input extends z.ZodType, Data extends z.ZodType, Extra extends z.ZodObject>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data> & { extra: Extra },
): Route<Input, Data, Extra>;
export function route(
  method: Method,
  path: string,
  spec: RouteSpec<z.ZodType, z.ZodType> & { extra?: z.ZodObject },
): Route {
  return { method, path, extra: undefined, ...spec };
}

/** Input of the server's handler, after validation. */
export type InputOf<R extends Route> = z.output<R['input']>;
/** Input of a caller. */
export type CallOf<R extends Route> = z.input<R['input']>;
/** `data` of the answer. */
export type DataOf<R extends Route> = z.output<R['data']>;
/** Top-level fields beside `data`; none for most calls. */
export type ExtraOf<R extends Route> = R['extra'] extends z.ZodType ? z.output<R['extra']> : undefined;
