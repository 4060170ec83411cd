export interface Snippet {
  readonly id: string;
  readonly label: string;
  readonly code: string;
}

/** A first request in three languages. Each snippet runs unchanged, without any package. */
export function snippets(url: string, token: string): readonly Snippet[] {
  const address = `${url}/v1/audits?limit=10`;
  return [
    { id: 'curl', label: 'curl', code: `curl '${address}' \\\n  -H 'Authorization: Bearer ${token}'` },
    {
      id: 'typescript',
      label: 'TypeScript',
      code: [
        `const response = await fetch('${address}', {`,
        `  headers: { Authorization: 'Bearer ${token}' },`,
        '});',
        'console.log(await response.json());',
      ].join('\n'),
    },
    {
      id: 'python',
      label: 'Python',
      code: [
        'import json',
        'import urllib.request',
        '',
        'request = urllib.request.Request(',
        `    "${address}",`,
        `    headers={"Authorization": "Bearer ${token}"},`,
        ')',
        'with urllib.request.urlopen(request) as response:',
        '    print(json.dumps(json.load(response), indent=2))',
      ].join('\n'),
    },
  ];
}
