/** What a provider's page returned to the browser. */
export interface CallbackParams {
  code?: string;
  state: string;
  iss?: string;
  error?: string;
}

/** Reads it from the URL: the query, and Telegram's fragment. */
export function readCallback({ search, hash }: Pick<Location, 'search' | 'hash'>): CallbackParams {
  const query = new URLSearchParams(search);
  const code = query.get('code') ?? /[#&]tgAuthResult=([\w+/=-]+)/.exec(hash)?.[1];
  const iss = query.get('iss');
  const error = query.get('error');
  return {
    state: query.get('state') ?? '',
    ...(code !== undefined && { code }),
    ...(iss !== null && { iss }),
    ...(error !== null && { error }),
  };
}
