import { MantineProvider } from '@mantine/core';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { completeBrowser } from '../../testing/browser-parts.ts';
import { draw } from '../../testing/render-page.tsx';
import { SearchSelect } from './search-select.tsx';

completeBrowser();

const data = [
  { value: '1', label: 'OpenAI' },
  { value: '2', label: 'DeepSeek' },
];

/** A field that shows OpenAI and was clicked. */
async function openField(): Promise<HTMLInputElement> {
  draw(
    <MantineProvider env="test">
      <SearchSelect label="Provider" data={data} defaultValue="1" />
    </MantineProvider>,
  );
  const field = screen.getByRole<HTMLInputElement>('combobox', { name: 'Provider' });
  await userEvent.click(field);
  return field;
}

it('searches for what is typed, whenever the label was loaded', async () => {
  const field = await openField();
  // Like a label that is set late: it leaves the caret at its end.
  field.setSelectionRange(6, 6);
  await userEvent.keyboard('deep');
  expect(field.value).toBe('deep');
});

it('lets a part of its text be edited with the arrow keys', async () => {
  const field = await openField();
  field.setSelectionRange(6, 6);
  await userEvent.keyboard('{ArrowLeft}x');
  expect(field.value).toBe('OpenAxI');
});
