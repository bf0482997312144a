import { Button, Group, NativeSelect, NumberInput } from '@mantine/core';
import { selectedBy, type SyncRow, type SyncRule } from '@tollgate/contract';
import { useMemo, useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import classes from '../base/prices.module.css';
import { text } from './text.ts';

interface RuleFormProps {
  rows: readonly SyncRow[];
  onSelect: (models: string[]) => void;
}

const usual: SyncRule = { only: 'all', vendor: '', sources: 2, maxDearer: 20 };

/** Ticks the offers that match a rule; a person still reviews and approves them. */
export function RuleForm({ rows, onSelect }: RuleFormProps) {
  const t = useTranslate();
  const [rule, setRule] = useState(usual);
  const vendors = useMemo(() => [...new Set(rows.map(({ vendor }) => vendor))].toSorted(), [rows]);
  const select = () => {
    const models = selectedBy(rule, rows);
    onSelect(models);
    toast.info(t(text.selected, { count: models.length }));
  };
  return (
    <div className={classes.rule}>
      <Group align="flex-end" gap="xs">
        <NativeSelect
          label={t(text.only)}
          value={rule.only}
          onChange={(event) =>
            setRule({ ...rule, only: event.currentTarget.value === 'missing' ? 'missing' : 'all' })
          }
          data={[
            { value: 'all', label: t(text.all) },
            { value: 'missing', label: t(text.missing) },
          ]}
        />
        <NativeSelect
          label={t(text.vendor)}
          value={rule.vendor}
          onChange={(event) => setRule({ ...rule, vendor: event.currentTarget.value })}
          data={[{ value: '', label: t(text.anyVendor) }, ...vendors]}
        />
        <NumberInput
          label={t(text.agreeing)}
          min={1}
          max={3}
          w={170}
          value={rule.sources}
          onChange={(value) => setRule({ ...rule, sources: Number(value) || 1 })}
        />
        <NumberInput
          label={t(text.maxDearer)}
          min={0}
          w={150}
          value={rule.maxDearer}
          onChange={(value) => setRule({ ...rule, maxDearer: Number(value) || 0 })}
        />
        <Button variant="default" onClick={select}>
          {t(text.rule)}
        </Button>
      </Group>
      <span className={classes.quiet}>{t(text.ruleHint)}</span>
    </div>
  );
}
