import { AppError } from '@tollgate/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { LedgerUnavailable } from '../services/money/ledger/index.ts';
import { renderError } from './errors.ts';

const logged: object[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object) => void logged.push(fields),
};
const scene = { requestId: 'r1', language: 'en' as const, where: 'GET /api/x' };
beforeEach(() => {
  logged.length = 0;
});

const coded = (code: string): Error => Object.assign(new Error('connect to db:5432 failed'), { code });

describe('an error of a console call', () => {
  it('of a known kind keeps its code and message, in the caller’s language, and is not logged', () => {
    const refusal = renderError(new AppError('token_limit_reached', { limit: 5 }), scene, log);
    expect(refusal).toEqual({
      status: 200,
      body: {
        success: false,
        message: 'The limit of 5 keys is reached',
        data: null,
        code: 'token_limit_reached',
        request_id: 'r1',
      },
    });
    expect(logged).toEqual([]);
  });

  it.each([
    ['a database that is away', coded('ECONNREFUSED'), 503, 'database_unavailable'],
    ['a database that shuts down', coded('57P01'), 503, 'database_unavailable'],
    ['a ledger that has no database', new LedgerUnavailable(), 503, 'database_unavailable'],
    ['an error of ours', new TypeError('x is undefined'), 500, 'internal'],
    ['a thrown text', 'sk-secret', 500, 'internal'],
    ['nothing', undefined, 500, 'internal'],
  ])('that is %s hides its cause, which is logged', (_what, error, status, code) => {
    const served = renderError(error, scene, log);
    expect(served.status).toBe(status);
    expect(served.body).toMatchObject({ code, request_id: 'r1' });
    expect(JSON.stringify(served)).not.toMatch(/db:5432|undefined|sk-secret/);
    expect(logged).toEqual([expect.objectContaining({ requestId: 'r1', where: 'GET /api/x', code })]);
  });
});
