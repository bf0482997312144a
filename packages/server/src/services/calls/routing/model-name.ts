const starred = ['gpt-4-gizmo', 'gpt-4o-gizmo'] as const;

/**
 * The name under which a model is looked up: all GPTs of OpenAI's store share one wildcard entry
 * (docs/compatibility.md#channel-selection: `gpt-4-gizmo-g-123` → `gpt-4-gizmo-*`), all others are looked up
 * unchanged.
 */
export function routingName(model: string): string {
  // The fast check first: this runs on every request, and almost no name contains the word.
  if (!model.startsWith('gpt-4')) return model;
  for (const prefix of starred) if (model.startsWith(prefix)) return `${prefix}-*`;
  return model;
}
