import type { z } from 'zod';
import type { ErrorCode, Words } from './errors.ts';
import type { Access, TeamRole } from './roles.ts';
import type { AuditKind } from './audit-kinds.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who is asked once more who they are, although they are signed in. `always`: everybody, by a second factor, or by the
 * password where an account has none. `with-factor`: accounts with a second factor alone.
 */
export type Reauthentication = 'always' | 'with-factor';

/** How long a second factor, or a password given to `POST /api/verify`, counts for its session. */
export const proofSeconds = 15 * 60;

/** What a console call looks like: declared once, served by the server, called by the web, read by the tests. */
export interface Route<
  Input extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Extra extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: Method;
  /**
   * Address with `:name` slots; slots that the input reads as numbers take digits alone. A trailing slash is accepted
   * either way.
   */
  path: string;
  /** What the call does, in a few words for the API's reference. */
  summary: Words;
  access: Access;
  /** Its own refusals, beside those that access, limits and input bring along (`refusalsOf`). */
  errors?: readonly ErrorCode[];
  /** An input that the API's reference shows and a test sends; `{}` where absent. */
  example?: unknown;
  /** Path slots, query (GET, DELETE) and JSON body (POST, PUT) merged into one object. */
  input: Input;
  /**
   * A row as a call answers it: its members may come back in the body of a change, where they have no effect. Other
   * members that the input does not know are refused by name.
   */
  echoes?: z.ZodObject;
  /** What fields of the input are called where their usual names would mislead. */
  fieldNames?: Readonly<Record<string, Words>>;
  /** The envelope's `data`. */
  data: Data;
  /**
   * Object schema of the fields that stand beside `data` at the top of the envelope, for the few calls that have them
   * (pricing `group_ratio`, channel test `time`, balance `balance`). A handler of such a call answers `{ data, extra }`.
   */
  extra: Extra;
  /** The `message` of a success, for the few calls whose wire has one; otherwise it is ''. */
  done?: Words;
  /** True for the calls of docs/compatibility.md#address-limits "CT": sign-in, codes, reset. */
  critical?: boolean;
  /**
   * The lowest role in the team that the slot `:id` names; those who are not in it get `team_not_found`, as for a team
   * that does not exist.
   */
  teamRole?: TeamRole;
  /** Who is asked once more who they are; without it nobody is. */
  reauthenticate?: Reauthentication;
  /** The fields of the input that make the call ask, unless they are empty; absent where every call asks. */
  reauthenticateFor?: readonly string[];
  /**
   * True when the call needs the human check while it is switched on ("TS" of
   * docs/compatibility.md#envelope-and-routes).
   */
  humanCheck?: boolean;
  /** What the audit calls this call; absent for calls that leave no row there. Ours. */
  audit?: AuditKind;
  /** What is on the wire instead of the envelope, for the few calls that have none. */
  bare?: BareAnswer;
  /**
   * Whether the call works on a demo site (docs/compatibility.md#modes), where it differs from the rule: what reads
   * (GET) does, everything else does not.
   */
  demo?: boolean;
}

/** True when a call works on a demo site: one that changes nothing, or nothing that others would miss. */
export const worksInDemo = ({ method, demo }: Pick<Route, 'method' | 'demo'>): boolean =>
  demo ?? method === 'GET';

/**
 * `message`: `{message: 'success' | 'error', data}` (docs/compatibility.md#online-top-up). `data`: the data alone, while
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
}

/**
 * The header by which accounts without a second factor give their password to calls that ask for it: percent-encoded
 * UTF-8 (`encodeURIComponent`), because headers carry ASCII only. Without it they answer `password_required`, with a
 * wrong one `wrong_password`.
 */
export const currentPasswordHeader = 'x-current-password';

/** Declares a console call. */
export function route<Input extends z.ZodType, Data extends z.ZodType>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data>,
): Route<Input, Data, undefined>;
/** Declares a console call with top-level fields of its own. */
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

/** What the server's handler receives, after the check. */
export type InputOf<R extends Route> = z.output<R['input']>;
/** What a caller hands in. */
export type CallOf<R extends Route> = z.input<R['input']>;
/** What the call answers as `data`. */
export type DataOf<R extends Route> = z.output<R['data']>;
/** The top-level fields beside `data`; none for most calls. */
export type ExtraOf<R extends Route> = R['extra'] extends z.ZodType ? z.output<R['extra']> : undefined;
