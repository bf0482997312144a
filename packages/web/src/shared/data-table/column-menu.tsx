import type { RowData } from '@tanstack/react-table';
import { ActionIcon, Checkbox, Menu, Tooltip } from '@mantine/core';
import { Columns3 } from 'lucide-react';
import { useTranslate } from '../../lib/i18n.ts';
import { text } from './text.ts';
import type { Column } from './types.ts';
import type { TableModel } from './use-table-model.ts';

interface ColumnMenuProps<Row extends RowData> {
  columns: readonly Column<Row>[];
  table: TableModel<Row>;
  onReset: () => void;
}

/** Which columns to show; remembered on this device. */
export function ColumnMenu<Row extends RowData>({ columns, table, onReset }: ColumnMenuProps<Row>) {
  const t = useTranslate();
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Tooltip label={t(text.columns)}>
        <Menu.Target>
          <ActionIcon size={34} variant="default" aria-label={t(text.columns)} ms="auto">
            <Columns3 size={16} />
          </ActionIcon>
        </Menu.Target>
      </Tooltip>
      <Menu.Dropdown>
        {columns
          .filter((column) => !column.fixed)
          .map((column) => {
            const model = table.getColumn(column.id);
            const visible = model?.getIsVisible() ?? true;
            return (
              <Menu.Item
                key={column.id}
                role="menuitemcheckbox"
                aria-checked={visible}
                leftSection={<Checkbox.Indicator size="xs" checked={visible} />}
                onClick={() => model?.toggleVisibility()}
              >
                {t(column.title)}
              </Menu.Item>
            );
          })}
        <Menu.Divider />
        <Menu.Item onClick={onReset}>{t(text.resetColumns)}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
