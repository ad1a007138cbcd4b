package firefox

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// preferences restrict a Firefox to the page under test: no updates, no reports, no remote lists, no connections of its own.
var preferences = map[string]any{
	"app.normandy.enabled":                                    false,
	"app.shield.optoutstudies.enabled":                        false,
	"app.update.auto":                                         false,
	"app.update.disabledForTesting":                           true,
	"app.update.enabled":                                      false,
	"browser.aboutwelcome.enabled":                            false,
	"browser.contentblocking.features.standard":               "",
	"browser.discovery.enabled":                               false,
	"browser.newtabpage.activity-stream.feeds.snippets":       false,
	"browser.newtabpage.activity-stream.feeds.topsites":       false,
	"browser.newtabpage.activity-stream.showSponsored":        false,
	"browser.newtabpage.enabled":                              false,
	"browser.ping-centre.telemetry":                           false,
	"browser.region.network.url":                              "",
	"browser.region.update.enabled":                           false,
	"browser.safebrowsing.blockedURIs.enabled":                false,
	"browser.safebrowsing.downloads.enabled":                  false,
	"browser.safebrowsing.downloads.remote.enabled":           false,
	"browser.safebrowsing.malware.enabled":                    false,
	"browser.safebrowsing.phishing.enabled":                   false,
	"browser.safebrowsing.update.enabled":                     false,
	"browser.search.geoip.url":                                "",
	"browser.search.suggest.enabled":                          false,
	"browser.search.update":                                   false,
	"browser.sessionstore.resume_from_crash":                  false,
	"browser.shell.checkDefaultBrowser":                       false,
	"browser.startup.homepage":                                "about:blank",
	"browser.startup.homepage_override.mstone":                "ignore",
	"browser.startup.page":                                    0,
	"browser.tabs.crashReporting.sendReport":                  false,
	"browser.topsites.contile.enabled":                        false,
	"browser.uitour.enabled":                                  false,
	"browser.urlbar.quicksuggest.enabled":                     false,
	"browser.urlbar.suggest.searches":                         false,
	"datareporting.healthreport.uploadEnabled":                false,
	"datareporting.policy.dataSubmissionEnabled":              false,
	"dom.push.connection.enabled":                             false,
	"dom.push.enabled":                                        false,
	"dom.push.serverURL":                                      "",
	"dom.disable_beforeunload":                                true,
	"extensions.blocklist.enabled":                            false,
	"extensions.getAddons.cache.enabled":                      false,
	"extensions.systemAddon.update.enabled":                   false,
	"extensions.update.enabled":                               false,
	"geo.enabled":                                             false,
	"intl.accept_languages":                                   "en-US, en",
	"media.gmp-manager.updateEnabled":                         false,
	"media.gmp-manager.url":                                   "",
	"media.gmp-provider.enabled":                              false,
	"messaging-system.rsexperimentloader.enabled":             false,
	"network.captive-portal-service.enabled":                  false,
	"network.connectivity-service.enabled":                    false,
	"network.dns.disablePrefetch":                             true,
	"network.http.speculative-parallel-limit":                 0,
	"network.prefetch-next":                                   false,
	"network.trr.mode":                                        5,
	"nimbus.rollouts.enabled":                                 false,
	"security.remote_settings.crlite_filters.enabled":         false,
	"security.remote_settings.intermediates.enabled":          false,
	"services.settings.server":                                "data:,#remote-settings-dummy/v1",
	"services.sync.enabled":                                   false,
	"signon.management.page.breach-alerts.enabled":            false,
	"signon.rememberSignons":                                  false,
	"startup.homepage_welcome_url":                            "about:blank",
	"toolkit.telemetry.enabled":                               false,
	"toolkit.telemetry.server":                                "",
	"toolkit.telemetry.unified":                               false,
	"trailhead.firstrun.didSeeAboutWelcome":                   true,
	"browser.translations.enable":                             false,
	"browser.ml.enable":                                       false,
	"privacy.trackingprotection.enabled":                      false,
	"privacy.trackingprotection.annotate_channels":            false,
	"privacy.trackingprotection.emailtracking.pbmode.enabled": false,
}

// profile writes a profile's settings to dir. All connections to other machines go through the gate, which refuses and records what no setting
// prevents.
func profile(dir, gate string) error {
	host, port, err := net.SplitHostPort(gate)
	if err != nil {
		return err
	}
	set := maps.Clone(preferences)
	set["network.proxy.type"] = 1
	set["network.proxy.no_proxies_on"] = "127.0.0.1, localhost, ::1"
	for _, scheme := range []string{"http", "ssl"} {
		set["network.proxy."+scheme] = host
		set["network.proxy."+scheme+"_port"] = json.Number(port)
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value, err := json.Marshal(set[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "user_pref(%q, %s);\n", name, value)
	}
	return os.WriteFile(filepath.Join(dir, "user.js"), []byte(text.String()), 0o600)
}
