import { gzipSync } from 'node:zlib';
import { type Language, referenceApi, type ReferenceData } from '@tollgate/contract';
import { namedLanguage } from '../../../lib/accept-language.ts';
import type { CallContext } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

export interface ReferenceRouteDeps {
  /** The reference in a language; the same for every caller. */
  write: (language: Language) => ReferenceData;
}

/** Programs that generate code from the reference do not send a language. */
const languageOf = (context: CallContext): Language =>
  namedLanguage(context.header('accept-language')) ?? 'en';

/** Creates a value once for each language, at its first use. */
function perLanguage<T>(make: (language: Language) => T): (language: Language) => T {
  const made = new Map<Language, T>();
  return (language) => {
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}

/** A quarter of a megabyte, a tenth of that when compressed: sent compressed to every client that supports it. */
function packed(route: MountedRoute, write: (language: Language) => ReferenceData): MountedRoute {
  const pack = perLanguage((language) => gzipSync(JSON.stringify(write(language))));
  return {
    ...route,
    async serve(raw, context) {
      if (!/\bgzip\b/.test(context.header('accept-encoding'))) return route.serve(raw, context);
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        'content-encoding': 'gzip',
        vary: 'accept-encoding, accept-language',
      };
      return { status: 200, headers, body: pack(languageOf(context)) };
    },
  };
}

/** The reference of all calls. */
export function referenceRoutes({ write }: ReferenceRouteDeps): MountedRoute[] {
  const writeOnce = perLanguage(write);
  return implement(referenceApi, {
    read: (_input, context) => writeOnce(languageOf(context)),
  }).map((route) => packed(route, writeOnce));
}
