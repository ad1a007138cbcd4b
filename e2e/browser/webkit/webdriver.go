package webkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// webdriver speaks WebDriver, the older protocol of the W3C: one HTTP request a command.
type webdriver struct {
	client  *http.Client
	base    string // http://127.0.0.1:port
	session string // "" before there is one
}

// call sends a command of the session and decodes its result into value unless that is nil.
func (d *webdriver) call(ctx context.Context, method, path string, body, value any) error {
	if d.session != "" {
		path = "/session/" + d.session + path
	}
	var payload io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		payload = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.base+path, payload)
	if err != nil {
		return err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s %s: %s: %w", method, path, resp.Status, err)
	}
	if resp.StatusCode != http.StatusOK {
		var trouble struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &trouble)
		return fmt.Errorf("%s %s: %s: %s", method, path, trouble.Error, trouble.Message)
	}
	if value == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, value)
}
