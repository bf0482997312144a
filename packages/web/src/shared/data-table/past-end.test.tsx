import { MantineProvider } from '@mantine/core';
import { fireEvent, screen } from '@testing-library/react';
import { beforeAll, expect, it } from 'vitest';
import { completeBrowser } from '../../testing/browser-parts.ts';
import { draw, erase } from '../../testing/render-page.tsx';
import { DataTable } from './data-table.tsx';

beforeAll(completeBrowser);

/** Renders a page of a list without rows; returns its text, and the target page of its button. */
function shown(page: number, total: number | null): { text: string; leadsTo: number | undefined } {
  let leadsTo: number | undefined;
  const container = draw(
    <MantineProvider>
      <DataTable
        name="past-end"
        label="Things"
        columns={[]}
        rowId={String}
        query={{ data: [], error: null, isFetching: false, refetch: () => undefined }}
        paging={{
          page,
          pageSize: 10,
          total,
          onPage: (next) => (leadsTo = next),
          onPageSize: () => undefined,
        }}
        empty="no things yet"
        bare
      />
    </MantineProvider>,
  );
  const text = container.textContent;
  const button = screen.queryAllByRole('button').find(({ textContent }) => /^Page \d+$/.test(textContent));
  if (button) fireEvent.click(button);
  erase();
  return { text, leadsTo };
}

it('a page after the last one links to the last one, and is not shown as an empty list', () => {
  expect(shown(3, 20).leadsTo).toBe(2);
  expect(shown(9_999, 20).leadsTo).toBe(2);
  expect(shown(4, null).leadsTo).toBe(3);
  for (const [page, total] of [[3, 20] as const, [4, null] as const])
    expect(shown(page, total).text).not.toContain('no things yet');
  expect(shown(1, 0).text).toContain('no things yet');
  expect(shown(2, 0).text).toContain('no things yet');
});
