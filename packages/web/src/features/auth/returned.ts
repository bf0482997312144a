/** What a provider's page handed to the browser. */
export interface Returned {
  code?: string;
  state: string;
  iss?: string;
  error?: string;
}

/** Reads it from the address: the query, and Telegram's fragment. */
export function returnedBy({ search, hash }: Pick<Location, 'search' | 'hash'>): Returned {
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
