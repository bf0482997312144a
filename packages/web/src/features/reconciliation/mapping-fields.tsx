import { Select } from '@mantine/core';
import type { CsvMapping } from '@tollgate/contract';
import { useTranslate } from '../../lib/i18n.ts';
import { formText } from './form-text.ts';
import classes from './reconciliation.module.css';

interface MappingFieldsProps {
  columns: readonly string[];
  mapping: CsvMapping;
  onChange: (part: Partial<CsvMapping>) => void;
}

const needed = ['date', 'model'] as const;
const optional = ['requests', 'input', 'cached', 'output', 'cost'] as const;
const formats = ['ymd', 'dmy', 'mdy', 'unix'] as const;
const units = ['dollars', 'cents'] as const;

/** Maps columns to fields. */
export function MappingFields({ columns, mapping, onChange }: MappingFieldsProps) {
  const t = useTranslate();
  // A select must not have an option twice.
  const names = [...new Set(columns)].filter((name) => name !== '');
  const field = (name: (typeof needed)[number] | (typeof optional)[number], required: boolean) => (
    <Select
      key={name}
      label={t(formText[name])}
      placeholder={required ? undefined : t(formText.none)}
      required={required}
      data={names}
      value={names.includes(mapping[name]) ? mapping[name] : null}
      clearable={!required}
      allowDeselect={false}
      onChange={(value) => onChange({ [name]: value ?? '' })}
    />
  );
  return (
    <div className={classes.fields}>
      {needed.map((name) => field(name, true))}
      <Select
        label={t(formText.format)}
        data={formats.map((value) => ({ value, label: t(formText[value]) }))}
        value={mapping.date_format}
        allowDeselect={false}
        onChange={(value) => onChange({ date_format: formats.find((each) => each === value) ?? 'ymd' })}
      />
      {optional.map((name) => field(name, false))}
      <Select
        label={t(formText.unit)}
        data={units.map((value) => ({ value, label: t(formText[value]) }))}
        value={mapping.cost_unit}
        allowDeselect={false}
        onChange={(value) => onChange({ cost_unit: units.find((each) => each === value) ?? 'dollars' })}
      />
    </div>
  );
}
