import { MantineProvider } from '@mantine/core';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { completeBrowser } from '../../testing/browser-parts.ts';
import { draw } from '../../testing/render-page.tsx';
import { phoneQuery } from '../../lib/screen.ts';
import { DataTable } from './data-table.tsx';
import type { Column } from './types.ts';

const columns: readonly Column<{ id: number }>[] = [
  { id: 'name', title: { zh: '名称', en: 'Name' }, render: ({ id }) => id },
];

/** True if a loading list was ever rendered as a table, even if effects removed it again. */
function wasTable(): boolean {
  const query = { data: undefined, error: null, isFetching: true, refetch: () => undefined };
  const watched = new MutationObserver(() => undefined);
  const container = document.body.appendChild(document.createElement('div'));
  watched.observe(container, { childList: true, subtree: true });
  draw(
    <MantineProvider>
      <DataTable
        name="frame"
        label="Things"
        columns={columns}
        rowId={({ id }) => String(id)}
        query={query}
        empty=""
        bare
      />
    </MantineProvider>,
    container,
  );
  const ever = watched
    .takeRecords()
    .flatMap(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes]);
  expect(ever).not.toEqual([]);
  return ever.some((node) => node instanceof Element && node.outerHTML.includes('<table'));
}

beforeAll(completeBrowser);
afterEach(() => vi.unstubAllGlobals());

it('a list that is loading is cards on a phone from the first frame on, and a table elsewhere', () => {
  expect(wasTable()).toBe(true);
  const wide = window.matchMedia;
  vi.stubGlobal('matchMedia', (query: string) =>
    query === phoneQuery ? Object.assign(wide(query), { matches: true }) : wide(query),
  );
  expect(wasTable()).toBe(false);
});
