import { expect, it } from 'vitest';
import { createLog } from '../../lib/log.ts';
import { fetchAll } from './fetch-all.ts';

const log = createLog('silent');
const address = (number: number): string => `https://files.test/${number}`;
const addresses = (count: number): string[] => Array.from({ length: count }, (_, at) => address(at));
const coded = (status: number, code: string) => expect.objectContaining({ status, code }) as Error;

/** Server that returns files of this many characters, and records its requests. */
function site(characters = 4) {
  const asked: string[] = [];
  const fetchFile = (url: string) => {
    asked.push(url);
    return Promise.resolve({ mediaType: 'image/png', base64: 'A'.repeat(characters) });
  };
  return { asked, deps: { fetchFile, log } };
}

it('fetches each file once, however often it is named', async () => {
  const { asked, deps } = site();
  const files = await fetchAll(deps, [address(1), address(2), address(1)], undefined);
  expect([...files.keys()]).toEqual([address(1), address(2)]);
  expect(asked).toEqual([address(1), address(2)]);
});

it('fetches nothing of a request with more files than the bound', async () => {
  const { asked, deps } = site();
  await expect(fetchAll(deps, addresses(65), undefined)).rejects.toThrow(coded(400, 'too_many_files'));
  expect(asked).toEqual([]);
  expect((await fetchAll(deps, [...addresses(64), ...addresses(64)], undefined)).size).toBe(64);
});

it('stops where the files together exceed the memory bound', async () => {
  const { asked, deps } = site(27 * 1024 * 1024);
  await expect(fetchAll(deps, addresses(64), undefined)).rejects.toThrow(coded(413, 'files_too_large'));
  expect(asked).toHaveLength(5);
});

it('stops when the caller has left', async () => {
  const leaving = new AbortController();
  const { asked, deps } = site();
  const fetchFile = (url: string) => {
    if (asked.length === 2) leaving.abort();
    return deps.fetchFile(url);
  };
  await expect(fetchAll({ ...deps, fetchFile }, addresses(10), leaving)).rejects.toThrow(
    coded(499, 'client_gone'),
  );
  expect(asked).toHaveLength(3);
});

it('reports no more to its caller than that a file could not be fetched', async () => {
  const fetchFile = () => Promise.reject(new Error('the address of 10.0.0.1 is not allowed'));
  await expect(fetchAll({ fetchFile, log }, addresses(1), undefined)).rejects.toThrow(
    expect.objectContaining({
      status: 400,
      code: 'invalid_file_url',
      message: 'a file named in the request could not be fetched',
    }),
  );
});
