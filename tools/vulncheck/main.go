// Command vulncheck looks for known vulnerabilities in what is linked into the program, with govulncheck and Go's vulnerability database. It fails if
// the code calls something that is vulnerable. If the database cannot be reached, it prints one line that begins with "left out: ", and does not
// fail: a check that needs the network must not hinder people without one.
//
// Usage: vulncheck [-go COMMAND] [-db URL] [DIRECTORY...], each the directory of a module (by default this one)
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"time"
)

const (
	// tool is govulncheck, at a version that is known to work.
	tool = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	// database is where Go's vulnerabilities are.
	database = "https://vuln.go.dev"
	// index is a file that every such database has.
	index = "/index/db.json"
	// patience is how long the database may take to answer.
	patience = 10 * time.Second
	// limit is how long govulncheck may take for a module.
	limit = 5 * time.Minute
)

func main() {
	gotool := flag.String("go", "go", "the go `command`")
	db := flag.String("db", database, "the `URL` of the database")
	flag.Parse()
	directories := flag.Args()
	if len(directories) == 0 {
		directories = []string{"."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	look := func(ctx context.Context, directory string) error {
		cmd := exec.CommandContext(ctx, *gotool, "run", tool, "-db", *db, "./...")
		cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = directory, os.Stdout, os.Stderr, time.Second
		return cmd.Run()
	}
	if err := run(ctx, *db, directories, os.Stdout, look); err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(1)
	}
}

// run calls look for each module, if there is a database.
func run(ctx context.Context, db string, directories []string, stdout io.Writer, look func(context.Context, string) error) error {
	if err := checkDatabase(ctx, db); err != nil {
		_, err = fmt.Fprintf(stdout, "left out: the database of vulnerabilities cannot be reached: %v\n", err)
		return err
	}
	for _, directory := range directories {
		bounded, cancel := context.WithTimeout(ctx, limit)
		err := look(bounded, directory)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: govulncheck found something, or could not look (%w); what it says stands above", directory, err)
		}
	}
	return nil
}

// checkDatabase returns an error if a database cannot be used.
func checkDatabase(ctx context.Context, db string) error {
	if strings.HasPrefix(db, "file://") {
		return nil // govulncheck says it better
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(db, "/")+index, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s%s answers %s", db, index, response.Status)
	}
	return nil
}
