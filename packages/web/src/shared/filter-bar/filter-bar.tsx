import { Button, Collapse } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { ListFilter } from 'lucide-react';
import type { ReactNode } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { phoneQuery } from '../../lib/screen.ts';
import classes from './filter-bar.module.css';

const text = texts({
  more: { zh: '更多筛选', en: 'More filters' },
  reset: { zh: '重置', en: 'Reset' },
});

interface FilterBarProps {
  /** Always visible, on a phone as well. */
  first?: ReactNode;
  /** Visible if there is room. */
  usual?: ReactNode;
  /** One click away. */
  rare?: ReactNode;
  /** True if a rare filter is set: it must not narrow the list invisibly. */
  rareInUse?: boolean;
  /** Present if any filter is set. */
  onReset?: (() => void) | undefined;
}

/** The filters above a list. */
export function FilterBar({ first, usual, rare, rareInUse = false, onReset }: FilterBarProps) {
  const t = useTranslate();
  const isPhone = useMediaQuery(phoneQuery, undefined, { getInitialValueInEffect: false }) ?? false;
  const [opened, { toggle }] = useDisclosure(rareInUse);
  const folded = isPhone ? [usual, rare] : [rare];
  const hasFolded = folded.some((part) => part !== undefined);
  return (
    <div className={classes.bar} role="search">
      <div className={classes.row}>
        {first}
        {!isPhone && usual}
        {hasFolded && (
          <Button
            variant="default"
            leftSection={<ListFilter size={14} />}
            onClick={toggle}
            aria-expanded={opened}
          >
            {t(text.more)}
          </Button>
        )}
        {onReset && (
          <Button variant="subtle" color="gray" c="var(--tg-text-2)" onClick={onReset}>
            {t(text.reset)}
          </Button>
        )}
      </div>
      {hasFolded && (
        <Collapse expanded={opened}>
          <div className={classes.row}>
            {isPhone && usual}
            {rare}
          </div>
        </Collapse>
      )}
    </div>
  );
}
