/** Whether a request comes from something that shows pages, such as a browser. */
export function acceptsPages(request: Request): boolean {
  return request.headers.get('accept')?.includes('text/html') === true
}
