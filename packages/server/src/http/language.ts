import type { Language } from '@tollgate/contract';
import type { FastifyRequest } from 'fastify';
import { namedLanguage } from '../lib/accept-language.ts';
import type { Identity } from '../services/auth/index.ts';
import type { Identifier } from './access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller keeps as their language, once it is known who calls: refusals are written in it too. */
    readerLanguage: Language | undefined;
  }
}

/**
 * The language of a console answer: that of Accept-Language, else the one that the caller keeps in their account, else
 * Chinese, because clients of this wire match on the Chinese texts.
 */
export const readLanguage = (header: string | undefined, kept?: Language): Language =>
  namedLanguage(header) ?? kept ?? 'zh';

/** Finds callers as `auth` does, and notes what language they keep on the request that is to be answered. */
export function notingLanguage(auth: Identifier, request: FastifyRequest): Identifier {
  const note = (identity: Identity | null): Identity | null => {
    request.readerLanguage = identity?.language;
    return identity;
  };
  return {
    bySession: async (value) => note(await auth.bySession(value)),
    byAccessToken: async (token) => note(await auth.byAccessToken(token)),
  };
}
