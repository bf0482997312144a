import type { z } from 'zod';
import type { Access } from './roles.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** What a console call looks like: declared once, served by the server, called by the web, read by the tests. */
export interface Route<Input extends z.ZodType = z.ZodType, Data extends z.ZodType = z.ZodType> {
  method: Method;
  /** Address with `:name` slots. A trailing slash is accepted either way. */
  path: string;
  access: Access;
  /** Path slots, query (GET, DELETE) and JSON body (POST, PUT) merged into one object. */
  input: Input;
  /** The envelope's `data`. */
  data: Data;
  /** True for the calls of wire-facts 7.1 "CT": sign-in, codes, reset. */
  critical?: boolean;
  /** True when the call needs the human check while it is switched on ("TS" of wire-facts 1.2). */
  humanCheck?: boolean;
}

interface RouteSpec<Input extends z.ZodType, Data extends z.ZodType> {
  access: Access;
  input: Input;
  data: Data;
  critical?: boolean;
  humanCheck?: boolean;
}

/** Declares a console call. */
export const route = <Input extends z.ZodType, Data extends z.ZodType>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data>,
): Route<Input, Data> => ({ method, path, ...spec });

/** What the server's handler receives, after the check. */
export type InputOf<R extends Route> = z.output<R['input']>;
/** What a caller hands in. */
export type CallOf<R extends Route> = z.input<R['input']>;
/** What the call answers as `data`. */
export type DataOf<R extends Route> = z.output<R['data']>;
