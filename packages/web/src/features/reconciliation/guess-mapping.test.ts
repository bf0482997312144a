import { expect, test } from 'vitest';
import { guessColumns, guessDelimiter, mappingOf } from './guess-mapping.ts';

test('a file is split by the delimiter that its first line has most of, outside quotes', () => {
  expect(guessDelimiter('a;b;c\n1,2,3,4,5;2;3')).toBe(';');
  expect(guessDelimiter('"a,b,c"\tmodel\r\n')).toBe('\t');
  expect(guessDelimiter('day|model,name|cost')).toBe('|');
  expect(guessDelimiter('day,model')).toBe(',');
  expect(guessDelimiter('')).toBe(',');
});

test('columns are found by the names that vendors give them, each once', () => {
  expect(
    guessColumns(['Date', 'Model ID', 'Requests', 'Input tokens', 'Output tokens', 'Amount (USD)']),
  ).toEqual({
    date: 'Date',
    model: 'Model ID',
    requests: 'Requests',
    input: 'Input tokens',
    output: 'Output tokens',
    cost: 'Amount (USD)',
  });
  expect(
    guessColumns([
      'usage_date_utc',
      'model_version',
      'usage_input_tokens_cache_read',
      'usage_input_tokens_no_cache_total',
      'prompt_tokens',
      'completion_tokens',
    ]),
  ).toEqual({
    date: 'usage_date_utc',
    model: 'model_version',
    cached: 'usage_input_tokens_cache_read',
    input: 'prompt_tokens',
    output: 'completion_tokens',
  });
  expect(guessColumns(['日期', '模型', '请求数', '费用'])).toEqual({
    date: '日期',
    model: '模型',
    requests: '请求数',
    cost: '费用',
  });
  expect(guessColumns(['a', 'b', ''])).toEqual({});
});

const remembered = {
  delimiter: ',',
  header: true,
  date_format: 'dmy',
  date: 'When',
  model: 'Gone',
  requests: '',
  input: '',
  cached: '',
  output: '',
  cost: 'Cost A',
  cost_unit: 'cents',
} as const;

test("the mapping of an earlier file of the channel is kept, the user's choice wins, the rest is guessed", () => {
  const columns = ['When', 'Date', 'Model', 'Cost A', 'Cost B'];
  expect(mappingOf(columns, remembered, {})).toMatchObject({
    date: 'When',
    model: 'Model',
    cost: 'Cost A',
    date_format: 'dmy',
  });
  expect(mappingOf(columns, remembered, { cost: '' })).toMatchObject({ cost: '' });
  expect(mappingOf(['1', '2'], { ...remembered, header: false }, {})).toMatchObject({ date: '', model: '' });
});
