import { useRouter, useSearch } from '@tanstack/react-router';
import { ActionIcon, Menu } from '@mantine/core';
import { Bookmark, BookmarkPlus, Settings2, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { lazy } from '../../lib/lazy.ts';
import { tableViews } from '../../lib/storage.ts';
import { LazyMenu } from '../lazy/lazy-menu.tsx';
import { LazyMount } from '../lazy/lazy-mount.tsx';
import { text } from './text.ts';
import type { Column, ViewOption } from './types.ts';
import type { TableModel } from './use-table-model.ts';

interface ViewMenuProps<Row> {
  name: string;
  columns: readonly Column<Row>[];
  table: TableModel<Row>;
  /** Whether the list has filters, which a saved view contains. */
  hasFilters: boolean;
  options: readonly ViewOption[];
}

/** An entry that can be checked; the menu stays open. */
const CheckItem = ({ label, checked, onChange }: ViewOption) => (
  <Menu.CheckboxItem checked={checked} onChange={onChange}>
    {label}
  </Menu.CheckboxItem>
);

/** Parameters of the address that are no filter: the page of the list and the open record. */
const passing = ['p', 'open', 'edit', 'use', 'test', 'tag', 'names'];

/** The saved views of a list: each is the filters and sort of an address. */
function useViews(name: string) {
  const router = useRouter();
  const search: Record<string, string> = useSearch({ strict: false });
  const store = tableViews(name);
  const views: Record<string, string> = store.use();
  const kept = Object.entries(search).filter(([key]) => !passing.includes(key));
  const present = new URLSearchParams(kept).toString();
  return {
    names: Object.keys(views),
    /** The current view, if it is saved. */
    shown: Object.keys(views).find((each) => views[each] === present),
    open: (view: string) =>
      void router.navigate({ to: '.', search: Object.fromEntries(new URLSearchParams(views[view])) }),
    save: (view: string) => store.set({ ...views, [view]: present }),
    remove: (view: string) =>
      store.set(Object.fromEntries(Object.entries(views).filter(([each]) => each !== view))),
  };
}

const ViewName = lazy(async () => ({ default: (await import('./view-name.tsx')).ViewName }));

/** The view menu of a list: its saved views, its options and its shown columns. */
export function ViewMenu<Row>({ name, columns, table, hasFilters, options }: ViewMenuProps<Row>) {
  const t = useTranslate();
  const views = useViews(name);
  const [naming, setNaming] = useState(false);
  return (
    <>
      <LazyMenu
        button={(props) => (
          <ActionIcon
            {...props}
            size={34}
            variant="default"
            aria-label={t(text.view)}
            title={t(text.view)}
            ms="auto"
          >
            <Settings2 size={16} />
          </ActionIcon>
        )}
      >
        <Menu.Dropdown>
          {hasFilters && (
            <>
              {views.names.map((each) => (
                <Menu.Item
                  key={each}
                  leftSection={<Bookmark size={14} />}
                  aria-current={each === views.shown || undefined}
                  fw={each === views.shown ? 600 : undefined}
                  onClick={() => views.open(each)}
                >
                  {each}
                </Menu.Item>
              ))}
              {views.shown === undefined ? (
                <Menu.Item leftSection={<BookmarkPlus size={14} />} onClick={() => setNaming(true)}>
                  {t(text.saveView)}
                </Menu.Item>
              ) : (
                <Menu.Item
                  leftSection={<Trash2 size={14} />}
                  onClick={() => views.shown !== undefined && views.remove(views.shown)}
                >
                  {t(text.removeView, { name: views.shown })}
                </Menu.Item>
              )}
              <Menu.Divider />
            </>
          )}
          {options.map((option) => (
            <CheckItem key={option.label} {...option} />
          ))}
          {options.length > 0 && <Menu.Divider />}
          {columns
            .filter((column) => !column.fixed)
            .map((column) => (
              <CheckItem
                key={column.id}
                label={t(column.title)}
                checked={table.shown.includes(column)}
                onChange={() => table.toggleColumn(column.id)}
              />
            ))}
          <Menu.Divider />
          <Menu.Item closeMenuOnClick={false} onClick={table.resetColumns}>
            {t(text.resetColumns)}
          </Menu.Item>
        </Menu.Dropdown>
      </LazyMenu>
      <LazyMount when={naming}>
        <ViewName opened={naming} onClose={() => setNaming(false)} onSave={views.save} />
      </LazyMount>
    </>
  );
}
