import { logType, type LogData } from '@tollgate/contract';
import { describe, expect, test, vi } from 'vitest';
import { isoTime } from '../../../lib/format/date-format.ts';
import { translate } from '../../../lib/i18n.ts';
import { csvRows, type CsvReader } from './csv-rows.ts';

// The browser remembers the language of the user; these tests pass it explicitly.
vi.hoisted(() => {
  const storage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  Object.assign(globalThis, {
    window: { addEventListener: () => undefined, localStorage: storage },
    localStorage: storage,
  });
});

const row = (rest: Partial<LogData>): LogData => ({
  id: 1,
  user_id: 2,
  created_at: 1_795_400_000,
  type: logType.consume,
  content: '模型倍率 1.25，补全倍率 4.00，分组倍率 1.00',
  username: 'alice',
  token_name: 'my key',
  model_name: 'gpt-4o',
  quota: 243,
  prompt_tokens: 10,
  completion_tokens: 5,
  use_time: 2,
  is_stream: true,
  channel: 7,
  channel_name: 'openai-main',
  token_id: 3,
  group: 'vip',
  other: '{"total_ms":1420}',
  request_id: 'r1',
  team_id: 0,
  tags: '',
  team_name: '',
  ...rest,
});
const rows = [
  row({}),
  row({
    type: logType.error,
    quota: 0,
    content: '请求上游地址失败',
    other: '{"status_code":502,"error_code":"do_request_failed"}',
  }),
  row({ token_id: 0, token_name: '模型测试', content: '模型测试', quota: 50_000, channel_name: '' }),
];
const readerOf = (language: 'zh' | 'en', isAdmin = true): CsvReader => ({
  t: (words, ...values) => translate(language, words, ...values),
  language,
  perUnit: 500_000,
  isAdmin,
});
const tableOf = (language: 'zh' | 'en') => {
  const [head = [], ...lines] = csvRows(rows, 'people', readerOf(language));
  return lines.map((line) => Object.fromEntries(head.map((name, index) => [String(name), line[index]])));
};

describe('the readable export', () => {
  test('has names, dollars and texts in the reader’s language', () => {
    const [call, failed, tested] = tableOf('en');
    expect(call).toMatchObject({
      Time: isoTime(1_795_400_000),
      Type: 'Usage',
      User: 'alice',
      Channel: 'openai-main',
      Streamed: 'yes',
      Seconds: 1.42,
      'Cost (USD)': '0.000486',
      Details: 'model ratio 1.25, completion ratio 4.00, group ratio 1.00',
    });
    expect(failed).toMatchObject({ Type: 'Error', Error: '502 upstream unreachable' });
    // Amounts outside the sum above the list add nothing here either.
    expect(tested).toMatchObject({ Key: 'Model test', Channel: '#7', 'Cost (USD)': '0.000000' });
    // The server names it in the reader's language.
    const answered = rows.map((row) => ({
      ...row,
      token_name: row.token_name.replace('模型测试', 'Model test'),
    }));
    expect(csvRows(answered, 'people', readerOf('en'))).toEqual(csvRows(rows, 'people', readerOf('en')));
  });

  test('has no Chinese for English readers, and the reverse', () => {
    expect(JSON.stringify(csvRows(rows, 'people', readerOf('en')))).not.toMatch(/[\u4e00-\u9fff]/);
    const [head = []] = csvRows(rows, 'people', readerOf('zh'));
    for (const name of head.filter((each) => !/tokens|ID/.test(String(each))))
      expect(name).toMatch(/[\u4e00-\u9fff]/);
  });

  test('has neither users nor channels for users', () => {
    const [head] = csvRows(rows, 'people', readerOf('en', false));
    expect(head).not.toContain('Channel');
    expect(head).not.toContain('User');
  });
});

test('has the payer of a call, and none for a test of a channel', () => {
  const paid = [row({}), row({ team_id: 4, team_name: 'Research' }), row({ team_id: 5 })];
  const payers = (language: 'zh' | 'en') => {
    const [head = [], ...lines] = csvRows([...paid, ...rows.slice(1)], 'people', readerOf(language));
    return lines.map((line) => line[head.indexOf(language === 'zh' ? '付款方' : 'Paid by')]);
  };
  expect(payers('en')).toEqual(['user', 'organisation: Research', 'organisation: #5', '', '']);
  expect(payers('zh')).toEqual(['用户', '组织：Research', '组织：#5', '', '']);
  const [head = [], , line = []] = csvRows(paid, 'raw', readerOf('en'));
  expect(line[head.indexOf('team_id')]).toBe(4);
});

test('has a cost below zero for what was given back, by a refund or a correction', () => {
  const back = [{ other: '{}' }, { other: '{"rerating":4}' }].map((rest) =>
    row({ type: logType.refund, quota: 25_000, ...rest }),
  );
  const [head = [], ...lines] = csvRows(back, 'people', readerOf('en'));
  const cells = lines.map((line) => [line[head.indexOf('Type')], line[head.indexOf('Cost (USD)')]]);
  expect(cells).toEqual([
    ['Refund', '-0.050000'],
    ['Correction', '-0.050000'],
  ]);
});

test('the raw export has the fields of the API, in every language', () => {
  const [head, line] = csvRows(rows, 'raw', readerOf('zh'));
  expect(head).toContain('token_name');
  expect(line).toContain(243);
  expect(line).toContain(logType.consume);
});

test('a time is written with its offset and is the same time', () => {
  expect(isoTime(1_795_400_000)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
  expect(Date.parse(isoTime(1_795_400_000))).toBe(1_795_400_000_000);
});
