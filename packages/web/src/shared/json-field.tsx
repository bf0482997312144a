import { Button, Group, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { texts, useTranslate, type Translate } from '../lib/i18n.ts';
import { findJsonFault, tidyJson } from '../lib/format/json-check.ts';

const text = texts({
  invalid: {
    zh: '不是合法的 JSON 字符串（第 {line} 行第 {column} 列）',
    en: 'Not a valid JSON string (line {line}, column {column})',
  },
  example: { zh: '填入模板', en: 'Fill in the example' },
  tidy: { zh: '整理格式', en: 'Tidy up' },
});

/** The message for invalid JSON; null if the text is valid or empty. */
export function jsonProblem(t: Translate, value: string): string | null {
  const fault = findJsonFault(value);
  return fault && t(text.invalid, { line: fault.line, column: fault.column });
}

interface JsonFieldProps {
  label?: string;
  /** The field's name, if its label is elsewhere. */
  'aria-label'?: string;
  description?: ReactNode;
  value?: string;
  onChange: (value: string) => void;
  onBlur?: (() => void) | undefined;
  error?: ReactNode;
  /** An example value, offered while the field is empty. */
  example?: unknown;
  minRows?: number;
}

/** A JSON field in a fixed-width font, with the fault's position, an example and a format button. */
export function JsonField(props: JsonFieldProps) {
  const { label, description, value = '', onChange, onBlur, error, example, minRows = 3 } = props;
  const t = useTranslate();
  const isEmpty = value.trim() === '';
  return (
    <div>
      <Textarea
        {...(label === undefined ? { 'aria-label': props['aria-label'] } : { label })}
        description={description}
        value={value}
        error={error}
        autosize
        minRows={minRows}
        maxRows={18}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
      />
      <Group gap={6} mt={6}>
        {isEmpty && example !== undefined && (
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => onChange(JSON.stringify(example, null, 2))}
          >
            {t(text.example)}
          </Button>
        )}
        {!isEmpty && (
          <Button variant="default" size="compact-xs" onClick={() => onChange(tidyJson(value))}>
            {t(text.tidy)}
          </Button>
        )}
      </Group>
    </div>
  );
}
