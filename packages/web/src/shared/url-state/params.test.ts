import { expect, test } from 'vitest';
import { choiceParam, flagParam, numberParam, pageParam, textParam } from './params.ts';

test('a default value is left out of the address', () => {
  expect(pageParam.write(1)).toBeUndefined();
  expect(textParam().write('')).toBeUndefined();
  expect(flagParam.write(false)).toBeUndefined();
  expect(choiceParam(['a', 'b']).write('a')).toBeUndefined();
});

test('what was written is read again', () => {
  expect(pageParam.read(pageParam.write(7))).toBe(7);
  expect(textParam().read(textParam().write('1e5'))).toBe('1e5');
  expect(choiceParam(['a', 'b']).read('b')).toBe('b');
  expect(flagParam.read(flagParam.write(true))).toBe(true);
});

test('a hand-written address cannot bring a value out of bounds', () => {
  expect(pageParam.read('0')).toBe(1);
  expect(pageParam.read('-3')).toBe(1);
  expect(pageParam.read('1.5')).toBe(1);
  expect(numberParam(0, 0, 5).read('9')).toBe(0);
  expect(choiceParam(['a', 'b']).read('c')).toBe('a');
});
