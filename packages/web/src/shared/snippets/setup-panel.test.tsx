import { MantineProvider } from '@mantine/core';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, it } from 'vitest';
import { completeBrowser } from '../../testing/browser-parts.ts';
import { draw } from '../../testing/render-page.tsx';
import { SetupPanel } from './setup-panel.tsx';

completeBrowser();

it('shows the setup of the chosen program: files, and one text for the terminal', async () => {
  draw(
    <MantineProvider env="test">
      <SetupPanel values={{ origin: 'https://gate.example', apiKey: 'sk-abc', model: 'm1' }} />
    </MantineProvider>,
  );
  expect(screen.getByLabelText('Terminal').textContent).toMatch(
    /^export ANTHROPIC_BASE_URL="https:\/\/gate\.example"\n[^]*\nclaude$/,
  );

  await userEvent.click(screen.getByRole('combobox', { name: 'Program' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Codex' }));
  expect(screen.getByLabelText('~/.codex/config.toml').textContent).toContain(
    'base_url = "https://gate.example/v1"',
  );
  expect(screen.getByLabelText('Terminal').textContent).toBe('export GATEWAY_KEY="sk-abc"\ncodex');

  await userEvent.click(screen.getByRole('combobox', { name: 'Program' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Cherry Studio' }));
  expect(screen.getByText(/Model Provider/)).toBeDefined();
  expect(screen.getByLabelText('Fields').textContent).toContain('API Host: https://gate.example\n');
});
