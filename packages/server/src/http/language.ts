import type { Language } from '@tollgate/contract';
import type { FastifyRequest } from 'fastify';
import { namedLanguage } from '../lib/accept-language.ts';
import type { Identity } from '../services/people/auth/index.ts';
import type { Identifier } from './access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The language of the caller's account, once the caller is known: errors are written in it too. */
    readerLanguage: Language | undefined;
  }
}

/**
 * The language of a console answer: that of Accept-Language, else that of the caller's account, else Chinese, because
 * existing clients compare the Chinese texts.
 */
export const readLanguage = (header: string | undefined, kept?: Language): Language =>
  namedLanguage(header) ?? kept ?? 'zh';

/** Identifies callers like `auth`, and stores their language on the request. */
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
