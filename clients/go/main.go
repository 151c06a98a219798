// An example of a poller in Go: rows of the log as JSON lines, each at least once. Only the standard library.
//
// Variables: TENANTSCOPE_URL, TENANTSCOPE_KEY. The argument is the file of the position.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"
)

type page struct {
	Data       []json.RawMessage `json:"data"`
	Pagination struct {
		ResumeCursor string `json:"resumeCursor"`
		HasMore      bool   `json:"hasMore"`
	} `json:"pagination"`
}

func main() {
	if len(os.Args) != 2 {
		fail(errors.New("usage: poller FILE"))
	}
	position := os.Args[1]
	parameters := url.Values{"sort": {"discoveredAtAsc"}, "limit": {"1000"}}
	cursor, err := os.ReadFile(position)
	if err == nil {
		parameters = url.Values{"cursor": {string(cursor)}}
	} else if !errors.Is(err, fs.ErrNotExist) {
		fail(err)
	}
	// The API never redirects: a redirect is another server, which must not receive the key.
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Timeout: time.Minute, CheckRedirect: refuse}
	out := bufio.NewWriter(os.Stdout)
	for {
		found, err := request(client, parameters)
		if err != nil {
			fail(err)
		}
		for _, row := range found.Data {
			fmt.Fprintf(out, "%s\n", row)
		}
		// The position follows the rows.
		if err := out.Flush(); err != nil {
			fail(err)
		}
		if err := store(position, found.Pagination.ResumeCursor); err != nil {
			fail(err)
		}
		if !found.Pagination.HasMore {
			return
		}
		parameters = url.Values{"cursor": {found.Pagination.ResumeCursor}}
	}
}

// request repeats a request until a complete page is there, or the API refuses it.
func request(client *http.Client, parameters url.Values) (*page, error) {
	for attempt := 0; ; attempt++ {
		found, pause, err := attemptRequest(client, parameters)
		if err == nil || pause < 0 {
			return found, err
		}
		if pause == 0 {
			pause = time.Second << min(attempt, 5)
		}
		fmt.Fprintf(os.Stderr, "%v; repeated in %v\n", err, pause)
		time.Sleep(pause)
	}
}

// attemptRequest returns a negative pause if repeating does not help, and zero if the API requests none.
func attemptRequest(client *http.Client, parameters url.Values) (*page, time.Duration, error) {
	target := os.Getenv("TENANTSCOPE_URL") + "/logs?" + parameters.Encode()
	request, err := http.NewRequest(http.MethodGet, target, nil)
	if err != nil {
		return nil, -1, err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TENANTSCOPE_KEY"))
	response, err := client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode != http.StatusOK {
		err := fmt.Errorf("status %d: %s", response.StatusCode, body)
		if response.StatusCode != http.StatusTooManyRequests && response.StatusCode < 500 {
			return nil, -1, err
		}
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		return nil, time.Duration(seconds) * time.Second, err
	}
	var found page
	if err := json.Unmarshal(body, &found); err != nil {
		return nil, 0, err
	}
	return &found, 0, nil
}

// store replaces the file in one step: a crash leaves the previous or the new position.
func store(path, cursor string) error {
	next := path + ".next"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = file.WriteString(cursor); err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(next, path)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
