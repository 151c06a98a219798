// The OpenTelemetry collector with the components of docs/siem/opentelemetry.md.
package main

import (
	"errors"
	"os"

	"github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"github.com/open-telemetry/opentelemetry-collector-contrib/receiver/filelogreceiver"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

func main() {
	providers := []confmap.ProviderFactory{envprovider.NewFactory(), fileprovider.NewFactory()}
	settings := otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "otelcol", Version: "0.165.0"},
		Factories: listFactories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{ProviderFactories: providers},
		},
	}
	if err := otelcol.NewCommand(settings).Execute(); err != nil {
		os.Exit(1)
	}
}

// listFactories has the former names of components too, as the released collector.
func listFactories() (otelcol.Factories, error) {
	extensions, wrongExtension := otelcol.MakeFactoryMap[extension.Factory](filestorage.NewFactory())
	receivers, wrongReceiver := otelcol.MakeFactoryMap[receiver.Factory](filelogreceiver.NewFactory())
	exporters, wrongExporter := otelcol.MakeFactoryMap[exporter.Factory](fileexporter.NewFactory())
	return otelcol.Factories{
		Telemetry:  otelconftelemetry.NewFactory(),
		Extensions: extensions,
		Receivers:  receivers,
		Exporters:  exporters,
	}, errors.Join(wrongExtension, wrongReceiver, wrongExporter)
}
